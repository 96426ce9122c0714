import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CgroupLayout } from './cgroups.ts'

/** What the cgroup of a machine counts, in bytes, under the names of cgroups v2. What a kernel does not count is 0. */
export interface MemoryFigures {
  readonly limit: number
  readonly used: number
  readonly of: (name: string) => number
}

/** Names that v1 has for the same. */
const namesOnV1: Readonly<Record<string, string>> = {
  anon: 'rss',
  file: 'cache',
  file_mapped: 'mapped_file',
  file_dirty: 'dirty',
  file_writeback: 'writeback',
}

/** Returns undefined if the machine has no group, because it has just ended or the host has no such controller. */
export async function memoryFigures(layout: CgroupLayout, path: string): Promise<MemoryFigures | undefined> {
  const { memory } = layout.roots
  if (!memory) return undefined
  const isV2 = layout.kind === 'v2'
  try {
    const read = (name: string) => readFile(join(memory, path, name), 'utf8')
    const [limit, used, stat] = await Promise.all([
      read(isV2 ? 'memory.max' : 'memory.limit_in_bytes'),
      read(isV2 ? 'memory.current' : 'memory.usage_in_bytes'),
      read('memory.stat'),
    ])
    const counts = new Map(stat.split('\n').map(line => line.split(' ', 2) as [string, string]))
    const of = (name: string) => Number(counts.get(isV2 ? name : (namesOnV1[name] ?? name)) ?? 0)
    return { limit: Number(limit), used: Number(used), of }
  } catch {
    return undefined
  }
}

/**
 * What `/proc/meminfo` says in a machine. Each text has the same length, so that one can be written over another while a
 * program reads it.
 */
export function meminfo(figures: MemoryFigures): string {
  const total = Math.floor(figures.limit / 1024)
  const kib = (bytes: number) => Math.min(total, Math.max(0, Math.floor(bytes / 1024)))
  const of = (name: string) => kib(figures.of(name))
  const free = total - kib(figures.used)
  const reclaimable = of('active_file') + of('inactive_file') + of('slab_reclaimable')
  const lines: readonly (readonly [string, number])[] = [
    ['MemTotal', total],
    ['MemFree', free],
    ['MemAvailable', Math.min(total, free + reclaimable)],
    ['Buffers', 0],
    ['Cached', of('file')],
    ['SwapCached', 0],
    ['Active', of('active_anon') + of('active_file')],
    ['Inactive', of('inactive_anon') + of('inactive_file')],
    ['Active(anon)', of('active_anon')],
    ['Inactive(anon)', of('inactive_anon')],
    ['Active(file)', of('active_file')],
    ['Inactive(file)', of('inactive_file')],
    ['Unevictable', of('unevictable')],
    ['Mlocked', 0],
    ['SwapTotal', 0],
    ['SwapFree', 0],
    ['Dirty', of('file_dirty')],
    ['Writeback', of('file_writeback')],
    ['AnonPages', of('anon')],
    ['Mapped', of('file_mapped')],
    ['Shmem', of('shmem')],
    ['KReclaimable', of('slab_reclaimable')],
    ['Slab', of('slab_reclaimable') + of('slab_unreclaimable')],
    ['SReclaimable', of('slab_reclaimable')],
    ['SUnreclaim', of('slab_unreclaimable')],
    ['KernelStack', of('kernel_stack')],
    ['PageTables', of('pagetables')],
    ['CommitLimit', total],
    ['Committed_AS', of('anon') + of('shmem')],
  ]
  return lines.map(([name, value]) => `${`${name}:`.padEnd(16)}${String(value).padStart(11)} kB\n`).join('')
}
