import { lstat, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Writes a file that only one user can read: this one or, if root replaces a file of another user, that one. The write is
 * atomic, and on the disk before this returns.
 */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`
  // The folder may belong to another user, who must not lead root to another file.
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.chmod(0o600)
    const before = process.getuid?.() === 0 ? await lstat(path).catch(() => undefined) : undefined
    if (before) await file.chown(before.uid, before.gid)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  // Without this, a power failure could undo the rename after the database has committed what relies on it.
  const folder = await open(dirname(path))
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
