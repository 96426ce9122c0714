import type { Socket } from 'node:net'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MachineError } from '../../contract/errors.ts'

/**
 * Exactly so many bytes of what the machine sends, and then its mark of the whole. Without the mark the stream fails, and
 * its last piece is held back until then: whoever counts bytes does not take for whole what is not.
 */
export function wholeContent(socket: Socket, length: number, path: string, signal?: AbortSignal): Readable {
  let left = length
  let held: Buffer | undefined
  let isWhole = false
  const out = new PassThrough({
    transform(chunk: Buffer, _, done) {
      const content = chunk.length > left ? chunk.subarray(0, left) : chunk
      left -= content.length
      isWhole ||= chunk.length > content.length
      if (left > 0) return done(null, content)
      if (content.length > 0) held = content
      if (!isWhole) return done()
      const last = held
      held = undefined
      done(null, last)
    },
    flush(done) {
      done(isWhole ? null : new MachineError('STATE', `${path} changed while it was read`))
    },
  })
  pipeline(socket, out, signal ? { signal } : {}).catch(error => out.destroy(error))
  return out
}

/** Sends content, to the machine or into the file itself, and then to the machine the mark that it is whole. */
export async function sendWhole(
  content: Readable,
  mark: string,
  sink: Writable,
  socket: Socket,
  signal: AbortSignal,
): Promise<void> {
  try {
    await pipeline(content, sink, { end: sink !== socket, signal })
  } catch (cause) {
    throw isFull(cause) ? new MachineError('NO_SPACE', 'No space left on device', { cause }) : cause
  }
  socket.end(mark)
}

const isFull = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(ENOSPC|EDQUOT|EFBIG)$/.test(String(error.code))
