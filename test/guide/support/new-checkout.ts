import { readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/service-process.ts'
import { root } from './root.ts'

/** A checkout in which no service was ever started. */
export async function newCheckout(): Promise<string> {
  const folder = await temporaryFolder()
  for (const name of await readdir(root))
    if (name !== 'data' && name !== '.git') await symlink(join(root, name), join(folder, name))
  return folder
}
