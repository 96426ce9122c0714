import { readdir, readFile } from 'node:fs/promises'
import {
  cgroupLayout,
  groupOf,
  groupParentOf,
  processesOf,
} from '../../../packages/machines/src/engines/local/oci/cgroups.ts'
import { descendantsOf, type HostProcess } from '../../support/host-processes.ts'
import type { SoakedService } from '../soaked-service.ts'
import { groupNames } from './kernel.ts'

/** The kinds of processes, in the order of the table. */
export const processKinds = ['host', 'front', 'workers', 'database', 'helpers', 'machines'] as const
type Kind = (typeof processKinds)[number]

interface Measured {
  readonly privateBytes: number
  readonly residentBytes: number
  readonly descriptors: number
  readonly threads: number
}

/**
 * Memory, descriptors and threads of every kind of process. Private memory is what a process has for itself: what the processes of the
 * database share, and the code of programs, would count several times otherwise.
 */
export async function processFigures(service: SoakedService): Promise<[string, number][]> {
  const kinds = new Map<Kind, Measured[]>(processKinds.map(kind => [kind, []]))
  for (const { pid, kind } of [...(await ofService(service.pid)), ...(await ofMachines(service))]) {
    const measured = await measure(pid)
    if (measured) kinds.get(kind)?.push(measured)
  }
  return [...kinds].flatMap(([kind, all]) => [
    [`processes: ${kind}`, all.length],
    [`memory: ${kind}, private`, sum(all, ({ privateBytes }) => privateBytes)],
    [
      `memory: ${kind}, resident in the largest`,
      Math.max(0, ...all.map(({ residentBytes }) => residentBytes)),
    ],
    [`descriptors: ${kind}`, sum(all, ({ descriptors }) => descriptors)],
    [`threads: ${kind}`, sum(all, ({ threads }) => threads)],
  ])
}

interface OfKind {
  readonly pid: number
  readonly kind: Kind
}

async function ofService(pid: number): Promise<OfKind[]> {
  const children = await descendantsOf(pid)
  const found = await Promise.all(
    children.map(async child => ({ pid: child.pid, kind: await kindOf(child) })),
  )
  return [{ pid, kind: 'host' }, ...found]
}

async function kindOf({ pid, name }: HostProcess): Promise<Kind> {
  if (name === 'postgres') return 'database'
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  if (command.includes('/packages/server/src/front.ts')) return 'front'
  return command.includes('/packages/workers/src/worker/main.ts') ? 'workers' : 'helpers'
}

async function ofMachines({ settings: { instance } }: SoakedService): Promise<OfKind[]> {
  const layout = cgroupLayout()
  const groups = await groupNames(groupParentOf(instance))
  const pids = await Promise.all(groups.map(id => processesOf(layout, groupOf(instance, id))))
  return pids.flat().map(pid => ({ pid, kind: 'machines' }))
}

/** Undefined if it has ended. */
async function measure(pid: number): Promise<Measured | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
  // A process that has ended and was not waited for has no memory.
  if (number('VmRSS') === 0) return undefined
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
  return {
    privateBytes: number('RssAnon') * 1024,
    residentBytes: number('VmRSS') * 1024,
    descriptors: descriptors.length,
    threads: number('Threads'),
  }
}

function sum<T>(list: readonly T[], value: (item: T) => number): number {
  return list.reduce((total, item) => total + value(item), 0)
}
