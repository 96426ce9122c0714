import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CgroupLayout } from './cgroups.ts'

/** The unit of `/proc/stat`. */
const ticksPerSecond = 100

/** The processor time of a machine since it started, in ticks. */
export interface ProcessorFigures {
  readonly user: number
  readonly system: number
}

/** Returns undefined if the machine has no group, because it has just ended or the host has no such controller. */
export async function processorFigures(
  layout: CgroupLayout,
  path: string,
): Promise<ProcessorFigures | undefined> {
  const isV2 = layout.kind === 'v2'
  const root = isV2 ? layout.roots.cpu : layout.roots.cpuacct
  try {
    const stat = await readFile(join(root ?? '', path, isV2 ? 'cpu.stat' : 'cpuacct.stat'), 'utf8')
    const of = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0)
    if (!isV2) return { user: of('user'), system: of('system') }
    const ticks = (name: string) => Math.floor((of(name) * ticksPerSecond) / 1e6)
    return { user: ticks('user_usec'), system: ticks('system_usec') }
  } catch {
    return undefined
  }
}

/**
 * What `/proc/stat` says in a machine. Its processors have shared its work equally. As with `meminfo`, each text has the
 * same length.
 */
export function procStat(
  processors: number,
  upMs: number,
  bootTime: number,
  { user, system }: ProcessorFigures = { user: 0, system: 0 },
): string {
  const total = Math.floor((processors * upMs * ticksPerSecond) / 1000)
  const line = (name: string, share: number) => {
    const part = (ticks: number) => String(Math.max(0, Math.floor(ticks / share))).padStart(12)
    return `${name} ${part(user)} 0 ${part(system)} ${part(total - user - system)} 0 0 0 0 0 0\n`
  }
  const each = Array.from({ length: processors }, (_, index) => line(`cpu${index}`, processors))
  const rest = `intr 0\nctxt 0\nbtime ${bootTime}\nprocesses 0\nprocs_running 1\nprocs_blocked 0\nsoftirq 0\n`
  return line('cpu ', 1) + each.join('') + rest
}
