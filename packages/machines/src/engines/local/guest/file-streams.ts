import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MachineError } from '../../../contract/errors.ts'
import { answerInTime, readAnswer } from './agent-client.ts'
import type { FileSink } from './file-sink.ts'
import type { Guest, GuestStream } from './guest.ts'
import { limitIdleTime } from './idle-timeout.ts'
import type { AgentAnswer } from './parse-answer.ts'
import { asConnectionError } from './read-line.ts'

/**
 * Passes on exactly `length` bytes from the machine, followed by its completion mark. Without the mark the stream
 * fails. The last chunk is held back until the mark arrives, so that nobody who counts bytes takes a truncated file
 * for the whole.
 */
export function wholeContent(
  guest: Guest,
  socket: GuestStream,
  length: number,
  path: string,
  signal?: AbortSignal,
): Readable {
  limitIdleTime(guest, socket, 'content')
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
      done(error && asConnectionError(error))
    },
    flush(done) {
      done(isWhole ? null : new MachineError('STATE', `${path} changed while it was read`))
    },
  })
  pipeline(socket, out, signal ? { signal } : {}).catch(error => out.destroy(error))
  return out
}

/**
 * Sends content to the machine, or writes it into the file directly, followed by the mark that it is complete.
 * Returns the answer of the machine. A failure is reported only after both sides have closed the file, so that its
 * space is free again.
 */
export async function sendWhole(
  guest: Guest,
  content: Readable,
  mark: string,
  file: FileSink | undefined,
  socket: GuestStream,
): Promise<AgentAnswer> {
  const answer = readAnswer(socket)
  answer.catch(() => {})
  limitIdleTime(guest, socket, 'reading')
  const stop = new AbortController()
  const sending = pipeline(content, file ?? socket, { end: file !== undefined, signal: stop.signal })
  sending.catch(() => {})
  try {
    // An answer that arrives before everything was sent is a refusal.
    await Promise.race([sending, answer.then(() => sending)])
    socket.end(mark)
    return await answerInTime(guest, answer, guest.timeouts.longAnswerMs)
  } catch (cause) {
    stop.abort()
    await file?.abandon()
    socket.end()
    const isLate = cause instanceof MachineError && cause.code === 'MACHINE_FAILED'
    if (!isLate) await answerInTime(guest, answer, guest.timeouts.answerMs).catch(() => {})
    if (!(cause instanceof Error)) throw cause
    if (isUnstored(cause)) throw new MachineError('HOST_FULL', hostFull, { cause })
    throw isFull(cause)
      ? new MachineError('NO_SPACE', 'No space left on device', { cause })
      : asConnectionError(cause)
  }
}

/**
 * The disk of a machine is a file on the host, so an I/O error means that the disk of the host is full or failing.
 */
const isUnstored = (error: Error) => 'code' in error && error.code === 'EIO'
const hostFull = "the disk of the sandbox's host is full or failing, and nothing was stored"

const isFull = (error: Error) => 'code' in error && /^(ENOSPC|EDQUOT|EFBIG)$/.test(String(error.code))
