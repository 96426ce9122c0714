import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Reads the end of a file in the folder of a machine's sockets. A guest that has taken over QEMU can put anything there, so links are
 * not followed, nothing but a file is read, and no more than this many bytes. Empty if there is none.
 */
export async function readNote(folder: string, name: string, maxBytes: number): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    await using file = await open(join(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile()) return ''
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(maxBytes),
      position: Math.max(0, stats.size - maxBytes),
    })
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return ''
  }
}
