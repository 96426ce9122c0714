import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CgroupLayout } from './cgroups.ts'

/** How many machines change their processors at one look, because each change takes locks of the whole kernel. */
const maxMoves = 16

/** What a machine weighs until its share is known, in the unit of `cpu.shares`. */
const unknownShares = 1024

/** An idle machine counts a little, so that idle machines do not gather on one processor. */
const idlePart = 0.01

interface Placed {
  readonly width: number
  cores: readonly number[]
}

/** What a machine does, and what it weighs against the others. */
export interface ProcessorUse {
  readonly shares: number
  readonly isBusy: boolean
}

export interface ProcessorSetsOptions {
  /** The path of a machine's cgroup. */
  readonly groupOf: (id: string) => string
  readonly layout: CgroupLayout
  /** The processors that machines may use; those of this process by default. */
  readonly cores?: readonly number[]
}

/**
 * Gives each machine as many processors of the host as its spec has, which is the number that programs inside see: a quota
 * limits time and is visible to none of them. Machines move while they run, so that those which compete for the processor
 * are spread over the host by their weights.
 */
export class ProcessorSets {
  readonly #options: ProcessorSetsOptions
  readonly #cores: readonly number[]
  readonly #machines = new Map<string, Placed>()
  #uses: ReadonlyMap<string, ProcessorUse> = new Map()

  constructor(options: ProcessorSetsOptions) {
    this.#options = options
    this.#cores = options.cores ?? ownCores()
  }

  /** How many processors a machine sees. */
  count(cpus: number): number {
    return Math.min(Math.max(1, Math.ceil(cpus)), this.#cores.length)
  }

  has(id: string): boolean {
    return this.#machines.has(id)
  }

  /** Chooses the processors of a machine, as a list for `cpuset.cpus`. It keeps those that it has. */
  place(id: string, cpus: number): string {
    const placed = this.#machines.get(id) ?? { width: this.count(cpus), cores: [] }
    if (placed.cores.length === 0) placed.cores = leastLoaded(this.#loads(), placed)
    this.#machines.set(id, placed)
    return placed.cores.join()
  }

  /** Limits a running machine to its processors. */
  async confine(id: string, cpus: number): Promise<void> {
    this.place(id, cpus)
    await this.#write(id)
  }

  remove(id: string): void {
    this.#machines.delete(id)
  }

  /** Moves machines to processors where others need less, the heaviest first. */
  async balance(uses: ReadonlyMap<string, ProcessorUse>): Promise<void> {
    this.#uses = uses
    const loads = this.#loads()
    const heaviestFirst = [...this.#machines].sort(([a], [b]) => this.#loadOf(b) - this.#loadOf(a))
    const moved: string[] = []
    for (const [id, placed] of heaviestFirst) {
      if (moved.length === maxMoves) break
      const own = this.#loadOf(id)
      for (const core of placed.cores) add(loads, core, -own)
      const better = leastLoaded(loads, placed)
      if (sumOf(loads, better) < sumOf(loads, placed.cores) - unknownShares * idlePart) {
        placed.cores = better
        moved.push(id)
      }
      for (const core of placed.cores) add(loads, core, own)
    }
    for (const id of moved) await this.#write(id)
  }

  #loadOf(id: string): number {
    const { shares, isBusy } = this.#uses.get(id) ?? { shares: unknownShares, isBusy: false }
    return ((isBusy ? 1 : idlePart) * shares) / (this.#machines.get(id)?.width ?? 1)
  }

  #loads(): Map<number, number> {
    const loads = new Map(this.#cores.map(core => [core, 0]))
    for (const [id, { cores }] of this.#machines) for (const core of cores) add(loads, core, this.#loadOf(id))
    return loads
  }

  /** A machine that has just ended has no group, and a host without this controller has no such file. Both can go on. */
  async #write(id: string): Promise<void> {
    const { layout, groupOf } = this.#options
    const cores = this.#machines.get(id)?.cores
    if (!cores || cores.length === this.#cores.length || !layout.roots.cpuset) return
    const file = join(layout.roots.cpuset, groupOf(id), 'cpuset.cpus')
    await writeFile(file, cores.join(), { flag: 'r+' }).catch(() => {})
  }
}

function add(loads: Map<number, number>, core: number, load: number): void {
  loads.set(core, (loads.get(core) ?? 0) + load)
}

const sumOf = (loads: ReadonlyMap<number, number>, cores: readonly number[]) =>
  cores.reduce((sum, core) => sum + (loads.get(core) ?? 0), 0)

/** Of processors with the same load, a machine prefers those that it has. */
function leastLoaded(loads: ReadonlyMap<number, number>, { width, cores }: Placed): number[] {
  const rank = ([core, load]: readonly [number, number]) => load - (cores.includes(core) ? 1e-6 : 0)
  return [...loads]
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, width)
    .map(([core]) => core)
    .sort((a, b) => a - b)
}

/** The kernel writes them as ranges, such as `0-3,8`. */
function ownCores(): number[] {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'
  return list.split(',').flatMap(range => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
}
