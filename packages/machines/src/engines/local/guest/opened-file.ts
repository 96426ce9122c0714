import type { FileHandle } from 'node:fs/promises'
import { type Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { FileInfo, FileRange, OpenFile } from '../../../contract/files.ts'
import type { Guest } from './guest.ts'
import type { AgentAnswer } from './parse-answer.ts'

/** Smaller files are not worth opening on the host. */
const minDirectBytes = 4 * 1024 * 1024

const chunkSize = 512 * 1024

/**
 * Opens a file that the agent has open. That avoids two more copies of every byte through the agent's socket. Returns
 * undefined if that is not possible; the content goes through the socket then.
 */
export async function reopen(
  guest: Guest,
  { pid, fd }: AgentAnswer,
  size: number,
  access: 'read' | 'write',
): Promise<FileHandle | undefined> {
  if (size < minDirectBytes || !Number.isSafeInteger(pid) || !Number.isSafeInteger(fd)) return undefined
  return await guest.openFile?.(Number(pid), Number(fd), access)
}

export function openOnHost(file: FileHandle, info: FileInfo, path: string, signal?: AbortSignal): OpenFile {
  const bounded = ({ offset = 0, length = info.size }: FileRange = {}) => ({
    offset,
    length: Math.max(0, Math.min(info.size - offset, length)),
  })
  const isSame = async () => {
    const { size, mtimeNs } = await file.stat({ bigint: true })
    return Number(size) === info.size && Number(mtimeNs / 1_000_000n) === info.modifiedMs
  }
  const check = async (steady: boolean | undefined) => {
    if (steady && !(await isSame())) throw changed(path)
  }
  return {
    info,
    read: range => wholePart(file, bounded(range), path, () => check(range?.steady), signal),
    sendTo: (sink, range) =>
      sendPart(file, bounded(range), path, () => check(range?.steady), sink).finally(() => file.close()),
    close: () => void file.close(),
  }
}

interface Part {
  readonly offset: number
  readonly length: number
}

const changed = (path: string) => new MachineError('STATE', `${path} changed while it was read`)

/**
 * Reads into one of two buffers while the other is written, because allocating a buffer per chunk would dominate the
 * cost. The last chunk is written only after the check has passed.
 */
async function sendPart(
  file: FileHandle,
  { offset, length }: Part,
  path: string,
  check: () => Promise<void>,
  sink: Writable,
): Promise<void> {
  const buffers = [Buffer.allocUnsafeSlow(chunkSize), Buffer.allocUnsafeSlow(chunkSize)] as const
  let written = Promise.resolve()
  for (let at = 0, turn: 0 | 1 = 0; at < length; turn = turn === 0 ? 1 : 0) {
    const wanted = Math.min(chunkSize, length - at)
    const { bytesRead, buffer } = await file.read(buffers[turn], 0, wanted, offset + at)
    await written
    if (bytesRead === 0) throw changed(path)
    at += bytesRead
    if (at === length) await check()
    written = new Promise((resolve, reject) => {
      sink.write(buffer.subarray(0, bytesRead), error => (error ? reject(error) : resolve()))
    })
    // A failure is handled in the next iteration, or after the loop.
    written.catch(() => {})
  }
  await written
}

/** Streams a part of a file. The last chunk is held back until everything was read and the check has passed. */
function wholePart(
  file: FileHandle,
  { offset, length }: Part,
  path: string,
  check: () => Promise<void>,
  signal?: AbortSignal,
): Readable {
  let left = length
  let held: Buffer | undefined
  const last = async () => {
    if (left !== 0) throw changed(path)
    await check()
    return held
  }
  const out = new Transform({
    highWaterMark: chunkSize,
    transform(chunk: Buffer, _, done) {
      left -= chunk.length
      const earlier = held
      held = chunk
      done(null, earlier)
    },
    flush(done) {
      last().then(piece => done(null, piece), done)
    },
    destroy(error, done) {
      file.close().then(() => done(error), done)
    },
  })
  const part =
    length === 0
      ? []
      : file.createReadStream({
          highWaterMark: chunkSize,
          start: offset,
          end: offset + length - 1,
          autoClose: false,
        })
  pipeline(part, out, signal ? { signal } : {}).catch(error => out.destroy(error))
  return out
}
