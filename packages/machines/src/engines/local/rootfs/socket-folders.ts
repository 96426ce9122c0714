import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import { mountsBelow, unmountBelow } from './mounts.ts'
import { removeTree } from './remove-tree.ts'

/**
 * Sockets occupy inodes but no space. What a guest puts there beyond that is charged to its memory, and none of it is
 * on a file system of the host.
 */
export const socketFolderOptions = 'mode=1777,size=256k,nr_inodes=64'

/**
 * Creates the folders for the sockets by which the service reaches a machine, unless its root came with them. Each is a small file system of its own,
 * because the guest can write to it. Folders that have been used are replaced: sockets of an earlier run no longer
 * work, and whatever else a guest left there disappears with its file system.
 */
export async function createSocketFolders(
  paths: Pick<MachinePaths, 'run' | 'sockets' | 'x11'>,
): Promise<void> {
  const mounted = await mountsBelow(paths.run)
  await Promise.all(
    [paths.sockets, paths.x11].map(async folder => {
      if (mounted.includes(folder) && (await readdir(folder)).length === 0) return
      await unmountBelow(folder)
      // Without the mount, it is the folder of a machine that an earlier version of the service created.
      if (existsSync(folder)) await removeTree(folder)
      await mkdir(folder)
      const options = `nosuid,nodev,noexec,${socketFolderOptions}`
      await runCommand('mount', ['-t', 'tmpfs', '-o', options, 'sandglass-sockets', folder])
    }),
  )
}
