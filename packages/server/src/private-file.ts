import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a file that only this user can read. The write is atomic, and on the disk before this returns. */
export async function writePrivateFile(path: string, content: string): Promise<void> {
  const temporary = `${path}.new`
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(content)
    await file.chmod(0o600)
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
