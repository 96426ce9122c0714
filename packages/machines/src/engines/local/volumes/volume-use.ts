import { open, statfs } from 'node:fs/promises'

const MiB = 1024 * 1024
const superblockAt = 1024
const superblockBytes = 1024
const magic = 0xef53

/**
 * Returns what the files on a disk occupy, from the kernel if the disk is mounted, and otherwise from its superblock. Undefined
 * if that cannot be read.
 */
export async function usedMiBOf(disk: string, mount: string | undefined): Promise<number | undefined> {
  if (mount === undefined) return await usedInSuperblock(disk)
  const { blocks, bfree, bsize } = await statfs(mount)
  return ((blocks - bfree) * bsize) / MiB
}

async function usedInSuperblock(path: string): Promise<number | undefined> {
  const file = await open(path).catch(() => undefined)
  if (!file) return undefined
  try {
    const block = Buffer.alloc(superblockBytes)
    const { bytesRead } = await file.read(block, 0, superblockBytes, superblockAt)
    if (bytesRead < superblockBytes || block.readUInt16LE(0x38) !== magic) return undefined
    const blockBytes = 1024 << block.readUInt32LE(0x18)
    const blocks = block.readUInt32LE(0x4) + block.readUInt32LE(0x150) * 2 ** 32
    const free = block.readUInt32LE(0xc) + block.readUInt32LE(0x158) * 2 ** 32
    // What the file system itself takes, which no file can.
    const overhead = block.readUInt32LE(0x248)
    return Math.max(0, ((blocks - free - overhead) * blockBytes) / MiB)
  } finally {
    await file.close()
  }
}
