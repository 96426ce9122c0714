import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cgroupTrees, removeGroups } from './cgroup-trees.ts'

/**
 * Removes the cgroups and files of test processes that were killed. Their names are this prefix, the id of the process, and
 * something after `-`. What ran in them ended with the test process.
 */
export async function sweep(prefix: string): Promise<void> {
  const folders = [tmpdir(), ...(await cgroupTrees()).map(({ path }) => path)]
  const names = new Set((await Promise.all(folders.map(folder => readdir(folder)))).flat())
  for (const name of names) {
    if (!name.startsWith(prefix)) continue
    if (existsSync(`/proc/${name.slice(prefix.length).split('-', 1)[0]}`)) continue
    await removeGroups(name)
    await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}
