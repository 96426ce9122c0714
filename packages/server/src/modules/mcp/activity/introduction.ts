import { CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** What a client says about itself. */
export interface Introduction {
  readonly name: string | null
  readonly version: string | null
  readonly protocolVersion: string | null
}

/** Clients can send anything. What is shown of it is one short line. */
const Text = z
  .string()
  .transform(text => text.replace(/[\p{Cc}\p{Cs}]/gu, '').slice(0, 100))
  .nullable()
  .catch(null)

const ClientInfo = z.object({ name: Text, version: Text }).catch({ name: null, version: null })

const Initialize = z.object({
  method: z.literal('initialize'),
  params: z.object({ clientInfo: ClientInfo, protocolVersion: Text }),
})

const Modern = z.object({
  params: z.object({
    _meta: z.object({ [CLIENT_INFO_META_KEY]: ClientInfo, [PROTOCOL_VERSION_META_KEY]: Text }),
  }),
})

const unknown: Introduction = { name: null, version: null, protocolVersion: null }

/** Reads the first message of a session, in which a client introduces itself. */
export function introductionIn(messages: readonly unknown[]): Introduction {
  for (const message of messages) {
    const { data } = Initialize.safeParse(message)
    if (data) return { ...data.params.clientInfo, protocolVersion: data.params.protocolVersion }
  }
  return unknown
}

/** Reads a request without a session, in each of which a client introduces itself. */
export function introductionOf(body: unknown): Introduction {
  const meta = Modern.safeParse(body).data?.params._meta
  if (!meta) return unknown
  return { ...meta[CLIENT_INFO_META_KEY], protocolVersion: meta[PROTOCOL_VERSION_META_KEY] }
}
