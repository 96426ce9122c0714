import { readFileSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { MachineFigures } from '../../contract/figures.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import type { CgroupLayout } from './oci/cgroups.ts'
import { activityOf } from './oci/group-activity.ts'

const MiB = 1024 * 1024

export interface FiguresOf {
  readonly spec: Pick<MachineSpec, 'cpus' | 'memoryMiB'>
  /** The host's id of its first process. */
  readonly pid: number
  readonly layout: CgroupLayout
  /** The path of its cgroup. */
  readonly group: string
  readonly disk: () => Promise<MachineFigures['disk']>
}

/** Reads what the kernel of the host says about a running machine. */
export async function figuresOf(machine: FiguresOf): Promise<MachineFigures> {
  const { spec, layout, group } = machine
  const activity = activityOf(layout, group)
  const memoryBytes = memoryOf(layout, group)
  const [disk, network] = await Promise.all([machine.disk(), networkOf(machine.pid)])
  return {
    ...(activity && { cpu: { usedSeconds: activity.cpuMs / 1000, cpus: spec.cpus } }),
    ...(memoryBytes !== undefined && {
      // QEMU takes some memory beside that of its guest.
      memory: { usedBytes: Math.min(memoryBytes, spec.memoryMiB * MiB), limitBytes: spec.memoryMiB * MiB },
    }),
    ...(disk && { disk }),
    ...(network && { network }),
  }
}

/** What the processes of a group have in memory, without files that could be read again. */
export function memoryOf({ kind, roots }: CgroupLayout, group: string): number | undefined {
  const folder = join(roots.memory ?? '', group)
  const [used, unneeded] =
    kind === 'v2'
      ? (['memory.current', /^inactive_file (\d+)$/m] as const)
      : (['memory.usage_in_bytes', /^total_inactive_file (\d+)$/m] as const)
  try {
    const bytes = Number(readFileSync(join(folder, used), 'utf8'))
    const [, cached = '0'] = unneeded.exec(readFileSync(join(folder, 'memory.stat'), 'utf8')) ?? []
    return Math.max(0, bytes - Number(cached))
  } catch {
    return undefined
  }
}

/** What the file system of a disk has, by where the host has mounted it. */
export async function diskOf(mount: string): Promise<MachineFigures['disk']> {
  const found = await statfs(mount).catch(() => undefined)
  if (!found) return undefined
  const { blocks, bfree, bsize } = found
  return { usedBytes: (blocks - bfree) * bsize, limitBytes: blocks * bsize }
}

/** A machine has one link, whose counters its processes see as well. */
async function networkOf(pid: number): Promise<MachineFigures['network']> {
  const counters = countersOf(await readFile(`/proc/${pid}/net/dev`, 'utf8').catch(() => ''))
  return counters && { receivedBytes: counters.received, sentBytes: counters.sent }
}

/** Reads the counters of eth0: the first of eight about what was received, and the first of those about what was sent. */
export function countersOf(table: string): { received: number; sent: number } | undefined {
  const line = /^\s*eth0:\s*(.*)$/m.exec(table)?.[1]
  const [received, , , , , , , , sent] = line?.split(/\s+/).map(Number) ?? []
  return received === undefined || sent === undefined ? undefined : { received, sent }
}
