import type { FileChange } from '@sandglass/machines/contract'
import type { Caller, Channel, MethodTable } from '@sandglass/rpc'
import { unreachable } from '../errors.ts'
import { unpackChange } from './schemas.ts'

/** The changes that a worker reports. Ends with its report or with the signal. */
export function watched(
  caller: Pick<Caller<MethodTable>, 'close'>,
  channel: Channel,
  signal: AbortSignal | undefined,
): AsyncIterable<FileChange> {
  const stop = () => void channel.destroy()
  signal?.addEventListener('abort', stop, { once: true })
  channel.once('close', () => signal?.removeEventListener('abort', stop))
  if (signal?.aborted) stop()
  return changesIn(caller, channel, signal)
}

async function* changesIn(
  caller: Pick<Caller<MethodTable>, 'close'>,
  channel: Channel,
  signal: AbortSignal | undefined,
): AsyncGenerator<FileChange> {
  try {
    for await (const message of channel) yield changeIn(caller, message)
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}

function changeIn(caller: Pick<Caller<MethodTable>, 'close'>, message: Buffer): FileChange {
  try {
    return unpackChange(message)
  } catch (error) {
    caller.close()
    throw unreachable(error)
  }
}
