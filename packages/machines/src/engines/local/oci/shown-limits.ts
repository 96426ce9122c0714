import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { CgroupLayout } from './cgroups.ts'
import { meminfo, memoryFigures } from './memory-figures.ts'
import { processorFigures, procStat } from './processor-figures.ts'

/**
 * Files of the kernel that describe the whole host. A machine sees files in their place which describe the machine. They are
 * plain files of the host that are mounted read-only, so that nothing in a machine waits for a process of the service.
 */
const shown = {
  meminfo: '/proc/meminfo',
  stat: '/proc/stat',
  cpuinfo: '/proc/cpuinfo',
  online: '/sys/devices/system/cpu/online',
} as const

type Folder = Pick<MachinePaths, 'shownLimits'>

/** The files by their names on the host, and where a machine sees them. */
export const shownFiles = ({ shownLimits }: Folder): [string, string][] =>
  Object.entries(shown).map(([name, seenAt]) => [join(shownLimits, name), seenAt])

/**
 * Writes the files before the machine starts. They are in memory, where a turn of the thread pool per file would take ten times
 * as long.
 */
export function writeShownLimits(
  { shownLimits }: Folder,
  { memoryMiB }: Pick<MachineSpec, 'memoryMiB'>,
  processors: number,
): void {
  mkdirSync(shownLimits, { recursive: true })
  // chmod is separate, because the umask of the service would restrict the mode of mkdir.
  chmodSync(shownLimits, 0o755)
  const write = (name: keyof typeof shown, content: string) => {
    writeFileSync(join(shownLimits, name), content)
    chmodSync(join(shownLimits, name), 0o444)
  }
  const { cpuinfo, bootTime } = host()
  write('meminfo', meminfo({ limit: memoryMiB * 1024 * 1024, used: 0, of: () => 0 }))
  write('stat', procStat(processors, 0, bootTime))
  write('cpuinfo', firstProcessors(cpuinfo, processors))
  write('online', processors === 1 ? '0\n' : `0-${processors - 1}\n`)
}

/** A machine whose limits are shown. */
export interface Shown {
  readonly layout: CgroupLayout
  /** The path of its cgroup. */
  readonly group: string
  readonly processors: number
}

/** Shows a machine what it uses now. It is not an error if the machine has none of these files, or has just ended. */
export function showUse({ shownLimits }: Folder, shownTo: Shown): void {
  const { layout, group, processors } = shownTo
  // Not truncated, because a program may be reading it.
  const write = (name: keyof typeof shown, content: string) =>
    writeFileSync(join(shownLimits, name), content, { flag: 'r+' })
  try {
    const { mtimeMs } = statSync(join(shownLimits, 'online'))
    const memory = memoryFigures(layout, group)
    const processor = processorFigures(layout, group)
    if (memory) write('meminfo', meminfo(memory))
    if (processor) write('stat', procStat(processors, Date.now() - mtimeMs, host().bootTime, processor))
  } catch {
    // A machine that an earlier version of the service started sees the files of the host.
  }
}

/** Read once: on a large host, the kernel asks every processor for its frequency. */
let known: { readonly cpuinfo: string; readonly bootTime: number } | undefined
function host() {
  known ??= {
    cpuinfo: readFileSync('/proc/cpuinfo', 'utf8'),
    bootTime: Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? 0),
  }
  return known
}

/** The first processors of the host, numbered from 0. */
export function firstProcessors(cpuinfo: string, count: number): string {
  const blocks = cpuinfo.split(/\n\n+/).filter(block => /^processor\s*:/m.test(block))
  return blocks
    .slice(0, count)
    .map((block, index) => `${block.replace(/^(processor\s*:).*$/m, `$1 ${index}`)}\n\n`)
    .join('')
}
