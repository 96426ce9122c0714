import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachinePaths } from '../machine-paths.ts'
import { unmountBelow } from './mounts.ts'
import { mountRootfs } from './rootfs.ts'

/** Tries whether an overlay over an idmapped image can be mounted in this folder. */
export async function canMapOwners(folder: string): Promise<boolean> {
  const at = (name: string) => join(folder, name)
  const paths: Pick<MachinePaths, 'lower' | 'upper' | 'work' | 'rootfs' | 'userNamespace'> = {
    lower: at('lower'),
    upper: at('upper'),
    work: at('work'),
    rootfs: at('rootfs'),
    userNamespace: at('user-namespace'),
  }
  try {
    for (const path of [at('image'), paths.upper, paths.work]) await mkdir(path, { recursive: true })
    const range = { base: 1 << 20, size: 65536 }
    await mountRootfs(paths, at('image'), { account: range.base, range, mapped: true })
    return true
  } catch {
    return false
  } finally {
    await unmountBelow(folder)
  }
}
