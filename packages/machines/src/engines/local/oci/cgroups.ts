import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { OciResources } from './oci-types.ts'

const freezeTimeoutMs = 10_000
const emptyTimeoutMs = 10_000
const controllers = ['memory', 'cpu', 'cpuacct', 'cpuset', 'pids', 'freezer'] as const
export type Controller = (typeof controllers)[number]

/**
 * Where the cgroups of the host are mounted. On v2, all controllers share one tree; on v1, each has its own; a hybrid
 * host has v1 trees with the controllers and a v2 tree without, and is treated like v1.
 */
export interface CgroupLayout {
  readonly kind: 'v1' | 'v2' | 'hybrid' | 'none'
  readonly roots: Readonly<Partial<Record<Controller, string>>>
}

export function cgroupLayout(mountTable = readFileSync('/proc/self/mounts', 'utf8')): CgroupLayout {
  const roots: Partial<Record<Controller, string>> = {}
  let unified: string | undefined
  for (const line of mountTable.split('\n')) {
    const [, path, type, options] = line.split(' ')
    if (!path || !options) continue
    if (type === 'cgroup2') unified ??= path
    if (type !== 'cgroup') continue
    for (const name of controllers) if (options.split(',').includes(name)) roots[name] ??= path
  }
  if (Object.keys(roots).length > 0) return { kind: unified ? 'hybrid' : 'v1', roots }
  if (!unified) return { kind: 'none', roots }
  const all = controllers.map(name => [name, unified] as const)
  return { kind: 'v2', roots: Object.fromEntries(all) }
}

/**
 * The resource limits of a machine in OCI terms. Swap is disabled, so that memory is limited to what the spec says. With
 * `gvisorCores`, they are those of a gVisor machine, which counts its processors only when it starts.
 */
export function resourcesOf(spec: MachineSpec, layout: CgroupLayout, gvisorCores?: string): OciResources {
  const limit = spec.memoryMiB * 1024 * 1024
  const { memory } = layout.roots
  const swapCounted =
    layout.kind === 'v2' || (memory !== undefined && existsSync(join(memory, 'memory.memsw.limit_in_bytes')))
  return {
    devices: [{ allow: false, access: 'rwm' }],
    memory: { limit, ...(swapCounted && { swap: limit }) },
    cpu: {
      shares: Math.max(2, Math.round(spec.cpus * 1024)),
      ...(gvisorCores !== undefined && layout.roots.cpuset && { cpus: gvisorCores }),
    },
    pids: { limit: gvisorCores === undefined ? spec.pids : gvisorTasks(spec.pids) },
  }
}

/**
 * gVisor needs several tasks of the host for a process of the machine, and ends the machine if it gets none. The
 * processes themselves are limited by RLIMIT_NPROC, which its kernel enforces.
 */
const gvisorTasks = (pids: number) => 4 * pids + 512

/**
 * Limits the processor once the desktop is ready. A start uses several cores for about 100 ms, and a quota of one
 * core would stop it for half of that time.
 */
export async function limitProcessor(layout: CgroupLayout, path: string, cpus: number): Promise<void> {
  const period = 100_000
  const quota = Math.max(1000, Math.round(cpus * period))
  const folder = join(layout.roots.cpu ?? '', path)
  if (layout.kind === 'v2') return await writeFile(join(folder, 'cpu.max'), `${quota} ${period}`)
  await writeFile(join(folder, 'cpu.cfs_period_us'), String(period))
  await writeFile(join(folder, 'cpu.cfs_quota_us'), String(quota))
}

const folders = (layout: CgroupLayout, path: string) =>
  [...new Set(Object.values(layout.roots))].map(root => join(root, path))

/** How often the kernel's out-of-memory killer has killed a process of this group. */
export async function outOfMemoryKills(layout: CgroupLayout, path: string): Promise<number> {
  const { memory } = layout.roots
  if (!memory) return 0
  const file = layout.kind === 'v2' ? 'memory.events' : 'memory.oom_control'
  const text = await readFile(join(memory, path, file), 'utf8').catch(() => '')
  return Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0)
}

const freezerFile = (layout: CgroupLayout, path: string) =>
  join(layout.roots.freezer ?? '', path, layout.kind === 'v2' ? 'cgroup.freeze' : 'freezer.state')

export async function isFrozen(layout: CgroupLayout, path: string): Promise<boolean> {
  const state = await readFile(freezerFile(layout, path), 'utf8').catch(() => '')
  return ['1', 'FROZEN', 'FREEZING'].includes(state.trim())
}

/**
 * Stops all processes of a group. Resolves when the kernel has stopped the last one; on v1, it tries again at each
 * look. It polls because the files of v1 report no changes.
 */
export async function freeze(layout: CgroupLayout, path: string): Promise<void> {
  const isV2 = layout.kind === 'v2'
  const done = isV2 ? join(layout.roots.freezer ?? '', path, 'cgroup.events') : freezerFile(layout, path)
  await writeFile(freezerFile(layout, path), isV2 ? '1' : 'FROZEN')
  for (const deadline = performance.now() + freezeTimeoutMs; ; await setTimeout(2)) {
    if (/^(frozen 1|FROZEN)$/m.test(await readFile(done, 'utf8'))) return
    if (performance.now() < deadline) continue
    await thaw(layout, path)
    throw new MachineError(
      'MACHINE_FAILED',
      `the processes of ${path} did not stop within ${freezeTimeoutMs} ms`,
    )
  }
}

/**
 * Frozen processes do not receive signals, so thaw them before every kill. It is not an error if the group does not
 * exist.
 */
export async function thaw(layout: CgroupLayout, path: string): Promise<void> {
  await writeFile(freezerFile(layout, path), layout.kind === 'v2' ? '0' : 'THAWED').catch(() => {})
}

/** Returns the host's process ids of all processes in the group. */
export async function processesOf(layout: CgroupLayout, path: string): Promise<number[]> {
  const lists = await Promise.all(
    folders(layout, path).map(folder => readFile(join(folder, 'cgroup.procs'), 'utf8').catch(() => '')),
  )
  return [...new Set(lists.join('\n').split('\n').filter(Boolean).map(Number))]
}

/**
 * Removes a group from every controller of the host, including those that are not listed above. Waits for processes that
 * were killed and have not quite ended.
 */
export async function removeGroup(path: string): Promise<void> {
  const deadline = performance.now() + emptyTimeoutMs
  for (const root of await groupRoots()) {
    while (!(await removeFolder(join(root, path)))) {
      if (performance.now() > deadline)
        throw new MachineError('MACHINE_FAILED', `the cgroup ${path} still has processes`)
      await setTimeout(5)
    }
  }
}

/** Removes a group with the groups in it. */
export async function removeGroupTree(path: string): Promise<void> {
  const names = new Set<string>()
  for (const root of await groupRoots())
    for (const entry of await readdir(join(root, path), { withFileTypes: true }).catch(() => []))
      if (entry.isDirectory()) names.add(entry.name)
  for (const name of names) await removeGroup(join(path, name))
  await removeGroup(path)
}

async function groupRoots(): Promise<string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map(line => line.split(' '))
  return lines.filter(([, , type]) => type === 'cgroup' || type === 'cgroup2').map(([, root = '']) => root)
}

/** Returns false if the group still has processes. */
async function removeFolder(folder: string): Promise<boolean> {
  try {
    await rmdir(folder)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'EBUSY')
  }
}

export const groupOf = (instance: string, id: string): string => `/sandglass-${instance}/${id}`
export const groupParentOf = (instance: string): string => dirname(groupOf(instance, 'x'))

/**
 * Lets the groups of machines have sets of processors. On v1, a new group has none, and neither can the groups in it; the runtime for gVisor
 * does not care for that.
 */
export async function openProcessorSets({ kind, roots }: CgroupLayout, instance: string): Promise<void> {
  if (!roots.cpuset || kind === 'v2') return
  const folder = join(roots.cpuset, groupParentOf(instance))
  await mkdir(folder, { recursive: true })
  for (const name of ['cpuset.cpus', 'cpuset.mems'])
    if ((await readFile(join(folder, name), 'utf8')).trim() === '')
      await writeFile(join(folder, name), await readFile(join(roots.cpuset, name), 'utf8'))
}
