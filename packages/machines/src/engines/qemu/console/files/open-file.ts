import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { MachineError } from '../../../../contract/errors.ts'
import type { FileInfo, FileRange, OpenFile } from '../../../../contract/files.ts'
import type { GuestFile } from './guest-file.ts'

interface Opened {
  readonly file: GuestFile
  readonly info: FileInfo
  readonly path: string
  /** Whether the file is still as it was when it was opened. */
  isSame(): Promise<boolean>
  /** Ends the conversation with the agent. */
  close(): void
}

/** A file that is read through QEMU's guest agent, piece by piece and no faster than the reader takes it. */
export function openFile({ file, info, path, isSame, close }: Opened): OpenFile {
  const changed = () => new MachineError('STATE', `${path} changed while it was read`)
  const end = async () => {
    await file.close().catch(() => {})
    close()
  }
  async function* pieces({
    offset = 0,
    length = info.size,
    steady = false,
  }: FileRange & { steady?: boolean }) {
    try {
      let left = Math.max(0, Math.min(info.size - offset, length))
      if (offset > 0 && left > 0) await file.seek(offset)
      while (left > 0) {
        const piece = await file.read(left)
        if (piece.length === 0) throw changed()
        left -= piece.length
        // The last piece is held back until the check has passed.
        if (left === 0 && steady && !(await isSame())) throw changed()
        yield piece
      }
    } finally {
      await end()
    }
  }
  const read: OpenFile['read'] = (range = {}) => Readable.from(pieces(range), { objectMode: false })
  return {
    info,
    read,
    sendTo: (sink, range) => pipeline(read(range), sink, { end: false }),
    close: () => void end(),
  }
}
