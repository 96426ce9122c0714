import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { waitFor } from '../../../testing/index.ts'
import { cgroupLayout } from '../../local/oci/cgroups.ts'

/** A cgroup mount of the host, and what a member needs to mount the same tree in its own cgroup namespace. */
export interface CgroupTree {
  readonly path: string
  readonly type: 'cgroup' | 'cgroup2'
  readonly options: string
}

/** A script that moves itself into the cgroups whose folders it is given, and becomes the first process of new namespaces. */
export const enterGroups = join(import.meta.dirname, 'enter-groups.sh')

const general = /^(rw|ro|relatime|noatime|nosuid|nodev|noexec|clone_children|xattr|release_agent=.*)$/

export async function cgroupTrees(): Promise<CgroupTree[]> {
  const found = new Map<string, CgroupTree>()
  for (const line of (await readFile('/proc/self/mounts', 'utf8')).split('\n')) {
    const [, path = '', type, shown = ''] = line.split(' ')
    if (type === 'cgroup2') found.set(path, { path, type, options: '' })
    if (type !== 'cgroup') continue
    const named = shown.split(',').filter(option => !general.test(option))
    const options = named.some(option => option.startsWith('name=')) ? ['none', ...named] : named
    found.set(path, { path, type, options: options.join(',') })
  }
  return [...found.values()]
}

const isUnified = () => cgroupLayout().kind === 'v2'

/** Makes the cgroup of a cluster in every tree of the host. */
export async function makeClusterGroup(cluster: string): Promise<void> {
  for (const { path } of await cgroupTrees()) {
    const folder = join(path, cluster)
    await mkdir(folder)
    if (isUnified()) for (const shared of [path, folder]) await shareControllers(shared)
    else if (existsSync(join(folder, 'cpuset.cpus'))) await inheritProcessors(path, folder)
  }
}

/** Makes the cgroup of a member, below that of its cluster. */
export async function makeGroup(group: string): Promise<void> {
  for (const { path } of await cgroupTrees()) await mkdir(join(path, group))
}

/** With version 1, a new group has no processors and no memory nodes, and neither have the groups in it. */
async function inheritProcessors(root: string, folder: string): Promise<void> {
  for (const file of ['cpuset.cpus', 'cpuset.mems'])
    await writeFile(join(folder, file), await readFile(join(root, file), 'utf8'))
  await writeFile(join(folder, 'cgroup.clone_children'), '1')
}

async function shareControllers(folder: string): Promise<void> {
  const controllers = (await readFile(join(folder, 'cgroup.controllers'), 'utf8'))
    .split(/\s+/)
    .filter(Boolean)
  for (const name of controllers)
    await writeFile(join(folder, 'cgroup.subtree_control'), `+${name}`).catch(() => {})
}

/**
 * Moves the process outside of a member's namespaces out of the member's cgroup, which on version 2 must have no
 * processes of its own. Returns whether the member has to do the same.
 */
export async function leaveGroup(cluster: string, pid: number): Promise<boolean> {
  if (!isUnified()) return false
  const [tree] = await cgroupTrees()
  const folder = join(tree?.path ?? '', cluster, 'outside')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'cgroup.procs'), String(pid))
  return true
}

/** The folders of a cgroup and those in it, the innermost first. */
export async function groupFolders(group: string): Promise<string[]> {
  const found: string[] = []
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined)
    for (const entry of entries ?? []) if (entry.isDirectory()) await visit(join(folder, entry.name))
    if (entries) found.push(folder)
  }
  for (const { path } of await cgroupTrees()) await visit(join(path, group))
  return found
}

/** Lets frozen processes of a cgroup go on, which with version 1 could not be killed. */
export async function thawGroups(group: string): Promise<void> {
  for (const folder of await groupFolders(group))
    for (const [file, thawed] of [
      ['freezer.state', 'THAWED'],
      ['cgroup.freeze', '0'],
    ] as const)
      if (existsSync(join(folder, file))) await writeFile(join(folder, file), thawed).catch(() => {})
}

/** Removes a cgroup from every tree. The kernel may need a moment until the last process has left it. */
export async function removeGroups(group: string): Promise<void> {
  await waitFor(async () => {
    const folders = await groupFolders(group)
    for (const folder of folders) await rmdir(folder).catch(() => {})
    return (await groupFolders(group)).length === 0
  })
}
