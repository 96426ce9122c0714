import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cgroupLayout, removeGroup } from './cgroups.ts'

const prefix = 'sandglass-worker-'

/** A cgroup that limits the memory of one process of the service. */
export interface WorkerGroup {
  /** A process whose id is written to this file is in the group. Undefined on a host that cannot limit memory. */
  readonly join: string | undefined
  /** Call this after the process has ended. */
  remove(): Promise<void>
}

/** Makes a group. Its name tells which process made it, so that another one can remove it if that was killed. */
export async function makeWorkerGroup(number: number, memoryMiB: number): Promise<WorkerGroup> {
  const { kind, roots } = cgroupLayout()
  const name = `${prefix}${process.pid}-${number}`
  const remove = () => tryRemove(name)
  if (!roots.memory) return { join: undefined, remove }
  const folder = join(roots.memory, name)
  const limit = String(memoryMiB * 1024 * 1024)
  if (kind === 'v2') await writeFile(join(roots.memory, 'cgroup.subtree_control'), '+memory').catch(() => {})
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, kind === 'v2' ? 'memory.max' : 'memory.limit_in_bytes'), limit)
  // Swapping would only let a worker that takes too much slow down everybody else for longer.
  const swap = join(folder, kind === 'v2' ? 'memory.swap.max' : 'memory.memsw.limit_in_bytes')
  if (existsSync(swap)) await writeFile(swap, kind === 'v2' ? '0' : limit)
  return { join: join(folder, 'cgroup.procs'), remove }
}

/** Removes the groups that processes left which were killed. */
export async function sweepWorkerGroups(): Promise<void> {
  const { memory } = cgroupLayout().roots
  if (!memory) return
  for (const name of await readdir(memory)) {
    const maker = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-', 1)[0]) : undefined
    if (maker !== undefined && !existsSync(`/proc/${maker}`)) await tryRemove(name)
  }
}

/** A group that cannot be removed yet is removed by the sweep at the next start. */
const tryRemove = (name: string) => removeGroup(name).catch(() => {})
