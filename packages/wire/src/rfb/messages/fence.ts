import { fence } from '../client-messages.ts'
import { fenceFlags, maxFencePayload } from '../fence-flags.ts'
import { RfbError } from '../rfb-error.ts'
import type { Session } from '../session.ts'
import type { Step } from '../step.ts'

/**
 * Messages are processed completely and in order, and what a listener sends is sent before the next one is read, so
 * both block flags are honoured without further work. SyncNext is not supported, and the answer must omit unsupported
 * flags.
 */
const supportedFlags = fenceFlags.blockBefore | fenceFlags.blockAfter

/** Reads a ServerFence after its type: padding, flags and a payload. */
export function* readFence({ inbox, send, emit, announce }: Session): Step<void> {
  const fields = yield* inbox.fields(8)
  const flags = fields.getUint32(3)
  const length = fields.getUint8(7)
  if (length > maxFencePayload)
    throw new RfbError('MALFORMED', `a fence carries ${length} bytes; at most ${maxFencePayload} are allowed`)
  const payload = (yield* inbox.take(length)).slice()
  announce('fence')
  if (flags & fenceFlags.request) send(fence(flags & supportedFlags, payload))
  else emit({ type: 'fence', flags, payload })
}
