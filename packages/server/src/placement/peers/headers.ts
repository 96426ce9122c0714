import type { IncomingMessage } from 'node:http'
import { type AnswerHeaders, type HeaderList, hopByHop, namedIn, peerHeader } from '@sandglass/mappings'

/** Headers about the client and its proxies. Each process determines these itself, so a client must not be able to set them. */
const setByEachProcess = new Set([
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-port',
  'x-real-ip',
  peerHeader,
])

/** Returns the headers for the peer: those that this process sets, then the end-to-end headers of the client's request. */
export function headersToPeer(
  { rawHeaders, headers }: IncomingMessage,
  own: HeaderList,
  dropped: ReadonlySet<string>,
): HeaderList {
  const named = namedIn(headers.connection)
  const list = [...own]
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    if (hopByHop.has(name) || setByEachProcess.has(name) || dropped.has(name) || named?.includes(name))
      continue
    list.push(name, rawHeaders[i + 1] ?? '')
  }
  return list
}

/**
 * Returns the headers for the client: the end-to-end headers of the peer's response, which override those that this
 * process has set.
 */
export function headersFromPeer(
  answer: AnswerHeaders,
  own: Readonly<Record<string, number | string | string[] | undefined>> = {},
): HeaderList {
  const named = namedIn(answer['connection'])
  const list: HeaderList = []
  for (const name in own) if (answer[name] === undefined) push(list, name, own[name])
  for (const name in answer)
    if (!hopByHop.has(name) && name !== 'date' && !named?.includes(name)) push(list, name, answer[name])
  return list
}

function push(list: HeaderList, name: string, value: number | string | string[] | undefined): void {
  if (Array.isArray(value)) for (const one of value) list.push(name, one)
  else if (value !== undefined) list.push(name, String(value))
}
