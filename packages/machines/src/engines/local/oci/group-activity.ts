import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { MachineActivity } from '../../../contract/activity.ts'
import type { CgroupLayout } from './cgroups.ts'

/**
 * What the kernel says about the processes of a group. Undefined if the host does not count for it. It is read
 * synchronously: the kernel answers from memory, and a turn of the thread pool per file would take ten times as long.
 */
export function activityOf(layout: CgroupLayout, path: string): MachineActivity | undefined {
  const { cpu, cpuacct, memory } = layout.roots
  const folder = join((layout.kind === 'v2' ? cpu : cpuacct) ?? '', path)
  try {
    return {
      cpuMs: layout.kind === 'v2' ? usedOnV2(folder) : Number(read(folder, 'cpuacct.usage')) / 1e6,
      loads: majorFaults(join(memory ?? '', path)),
      processes: read(folder, 'cgroup.procs').split('\n').filter(Boolean).map(Number),
      stolenMs: stolenMs(),
      hostLoad: runnable() / availableParallelism(),
    }
  } catch {
    return undefined
  }
}

const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')

function usedOnV2(folder: string): number {
  return Number(/^usage_usec (\d+)$/m.exec(read(folder, 'cpu.stat'))?.[1]) / 1000
}

function majorFaults(folder: string): number {
  return Number(/^pgmajfault (\d+)$/m.exec(read(folder, 'memory.stat'))?.[1])
}

/** The kernel counts hundredths of seconds of all processors together. */
function stolenMs(): number {
  const [, , , , , , , , stolen = '0'] = read('/proc', 'stat').split(/\s+/, 9)
  return (10 * Number(stolen)) / availableParallelism()
}

/** The number of threads of the host that run or wait for a processor, without the one that asks. */
function runnable(): number {
  const [, , , threads = ''] = read('/proc', 'loadavg').split(' ')
  return Math.max(0, Number.parseInt(threads, 10) - 1)
}
