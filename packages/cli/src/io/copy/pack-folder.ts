import { open } from 'node:fs/promises'
import { createTarPacker, type TarPackController } from 'modern-tar'
import { CliError } from '../../failures.ts'
import { printable } from '../printable.ts'
import type { LocalEntry } from './list-folder.ts'

/** What the folder is called in the archive, so that its own name cannot matter. */
export const rootName = 'copy'

const chunkBytes = 256 * 1024

/** Makes a tar archive of entries as it is read. */
export function packFolder(
  entries: readonly LocalEntry[],
  onEntry: (entry: LocalEntry) => void,
): ReadableStream<Uint8Array> {
  const { readable, controller } = createTarPacker()
  void packAll(entries, controller, onEntry).catch(error => controller.error(error))
  return readable
}

async function packAll(
  entries: readonly LocalEntry[],
  controller: TarPackController,
  onEntry: (entry: LocalEntry) => void,
): Promise<void> {
  for (const entry of entries) {
    onEntry(entry)
    const { kind, name, mode, modified: mtime, size, target } = entry
    const path = name === '' ? rootName : `${rootName}/${name}`
    const header = { mode, mtime, uid: 0, gid: 0 }
    if (kind === 'folder')
      await controller.add({ ...header, name: `${path}/`, type: 'directory', size: 0 }).close()
    else if (kind === 'link')
      await controller
        .add({ ...header, name: path, type: 'symlink', size: 0, linkname: target ?? '' })
        .close()
    else await packFile(entry, controller.add({ ...header, name: path, type: 'file', size }))
  }
  controller.finalize()
}

/** The size of a file is in the archive before its content, so exactly that much has to follow. */
async function packFile({ path, size }: LocalEntry, body: WritableStream<Uint8Array>): Promise<void> {
  const writer = body.getWriter()
  await using file = await open(path)
  for (let left = size; left > 0; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(Math.min(left, chunkBytes)))
    if (bytesRead === 0)
      throw new CliError(
        `${printable(path)} became shorter while it was copied.`,
        'Copy again when nothing changes it.',
      )
    left -= bytesRead
    await writer.write(buffer.subarray(0, bytesRead))
  }
  await writer.close()
}
