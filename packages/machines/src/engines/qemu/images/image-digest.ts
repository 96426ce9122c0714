import { createHash, type Hash } from 'node:crypto'
import { open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mapRaw } from './qemu-img.ts'
import { filesOf, type VmImageDescription } from './vm-image.ts'

const blockBytes = 1024 * 1024
const zeros = Buffer.alloc(blockBytes)

/**
 * The digest of a description, with its name and the size of the disk, and of the files of the image. Empty blocks of the disk
 * are left out, so that it is the same wherever the file has its holes, and so that it takes only as long as reading the data.
 */
export async function digestOfImage(
  folder: string,
  description: VmImageDescription & { readonly name: string; readonly diskMiB: number },
  signal?: AbortSignal,
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(Object.entries(description).sort()))
  await addDisk(hash, join(folder, 'disk.raw'), signal)
  for (const name of filesOf(description).filter(one => one !== 'disk.raw')) {
    const paths =
      name === 'tpm' ? (await readdir(join(folder, name))).sort().map(one => join(name, one)) : [name]
    for (const path of paths) {
      const content = await readFile(join(folder, path))
      hash.update(`\0${path}\0${content.length}\0`).update(content)
    }
  }
  return hash.digest('hex')
}

async function addDisk(hash: Hash, path: string, signal: AbortSignal | undefined): Promise<void> {
  const extents = await mapRaw(path, { signal })
  const file = await open(path)
  try {
    const buffer = Buffer.alloc(blockBytes)
    let next = 0
    for (const { start, length } of extents) {
      // An extent need not begin at a block. Extents that share a block must not add it twice.
      const first = Math.max(next, Math.floor(start / blockBytes))
      next = Math.ceil((start + length) / blockBytes)
      for (let block = first; block < next; block++) {
        signal?.throwIfAborted()
        const { bytesRead } = await file.read(buffer, 0, blockBytes, block * blockBytes)
        const content = buffer.subarray(0, bytesRead)
        if (!content.equals(zeros.subarray(0, bytesRead))) hash.update(`\0${block}\0`).update(content)
      }
    }
  } finally {
    await file.close()
  }
}
