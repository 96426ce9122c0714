import type { Socket } from 'node:net'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MachineError } from '../../../contract/errors.ts'
import { type AgentAnswer, lost, readAnswer } from './agent-client.ts'
import type { FileSink } from './file-sink.ts'

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
    destroy(error, done) {
      done(error && lost(error))
    },
    flush(done) {
      done(isWhole ? null : new MachineError('STATE', `${path} changed while it was read`))
    },
  })
  pipeline(socket, out, signal ? { signal } : {}).catch(error => out.destroy(error))
  return out
}

/**
 * Sends content, to the machine or into the file itself, and then to the machine the mark that it is whole; tells the
 * machine's word on it. Where it fails, that is told when neither side holds anything of the file any more, so that its
 * space is free.
 */
export async function sendWhole(
  content: Readable,
  mark: string,
  file: FileSink | undefined,
  socket: Socket,
): Promise<AgentAnswer> {
  const verdict = readAnswer(socket)
  verdict.catch(() => {})
  const stop = new AbortController()
  const sending = pipeline(content, file ?? socket, { end: file !== undefined, signal: stop.signal })
  sending.catch(() => {})
  try {
    // The machine's word before the end of the sending is a refusal.
    await Promise.race([sending, verdict.then(() => sending)])
    socket.end(mark)
    return await verdict
  } catch (cause) {
    stop.abort()
    await file?.letGo()
    socket.end()
    await verdict.catch(() => {})
    if (!(cause instanceof Error)) throw cause
    if (isUnstored(cause)) throw new MachineError('HOST_FULL', hostFull, { cause })
    throw isFull(cause) ? new MachineError('NO_SPACE', 'No space left on device', { cause }) : lost(cause)
  }
}

/** A machine's disk is a file on the host: that it cannot be written means that the host has no space, or fails. */
const isUnstored = (error: Error) => 'code' in error && error.code === 'EIO'
const hostFull = "the disk of the sandbox's host is full or failing, and nothing was kept"

const isFull = (error: Error) => 'code' in error && /^(ENOSPC|EDQUOT|EFBIG)$/.test(String(error.code))
