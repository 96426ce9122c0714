import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CgroupLayout } from './cgroups.ts'

/** How often shares follow what machines do. */
const everyMs = 2000

/**
 * A machine that uses less of one core than this does not compete for the processor. It is little, because on a host
 * with hundreds of busy machines none of them gets much.
 */
const idleCores = 0.003

/** What one tenant weighs, in the unit of `cpu.shares`; the kernel's default for a group. */
const tenantShares = 1024
const minShares = 2
const maxShares = 262_144

export interface Sharer {
  readonly cpus: number
  usedMicros: number | undefined
  isBusy: boolean
  /** Whether it was busy at the look before. */
  wasBusy: boolean
  shares: number
}

export interface FairSharesOptions {
  /** The path of a machine's cgroup. */
  readonly groupOf: (id: string) => string
  readonly layout: CgroupLayout
  /** Where cgroups count processor time on v1. */
  readonly accounts: string | undefined
  /** Called after each look with what machines do, by their ids. */
  readonly onMeasured?: (machines: ReadonlyMap<string, Sharer>) => Promise<void>
}

/**
 * Shares the processor between tenants. All busy machines of a tenant weigh together as much as one busy machine of
 * another tenant, so that more machines do not mean more processor while others need it. The groups stay where they
 * are and only their weights change, because a warm machine has its group before it has a tenant.
 */
export class FairShares {
  readonly #options: FairSharesOptions
  readonly #machines = new Map<string, Sharer>()
  #tenants: ReadonlyMap<string, string> = new Map()
  #timer: NodeJS.Timeout | undefined
  #measuredAtMs = 0

  constructor(options: FairSharesOptions) {
    this.#options = options
  }

  add(id: string, cpus: number): void {
    this.#machines.set(id, { cpus, usedMicros: undefined, isBusy: false, wasBusy: false, shares: 0 })
    this.#timer ??= setInterval(() => void this.update(), everyMs).unref()
  }

  remove(id: string): void {
    this.#machines.delete(id)
    if (this.#machines.size === 0) this.close()
  }

  /** Says to which tenant each machine belongs. Machines without one belong together. */
  assign(tenants: ReadonlyMap<string, string>): void {
    this.#tenants = tenants
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Looks at what machines use, and changes the weights of those whose share has changed. */
  async update(nowMs = performance.now()): Promise<void> {
    const elapsedMs = nowMs - this.#measuredAtMs
    this.#measuredAtMs = nowMs
    await Promise.all([...this.#machines].map(([id, sharer]) => this.#measure(id, sharer, elapsedMs)))
    const busyCpus = new Map<string, number>()
    for (const [id, { cpus, isBusy }] of this.#machines)
      if (isBusy) busyCpus.set(this.#tenantOf(id), (busyCpus.get(this.#tenantOf(id)) ?? 0) + cpus)
    for (const [id, sharer] of this.#machines) {
      // An idle machine gets what it would get if it were busy, so that it waits for nothing when it wakes up.
      const others = (busyCpus.get(this.#tenantOf(id)) ?? 0) - (sharer.isBusy ? sharer.cpus : 0)
      const shares = Math.round((tenantShares * sharer.cpus) / (others + sharer.cpus))
      if (shares !== sharer.shares) await this.#weigh(id, sharer, Math.max(minShares, shares))
    }
    await this.#options.onMeasured?.(this.#machines)
  }

  #tenantOf(id: string): string {
    return this.#tenants.get(id) ?? ''
  }

  async #measure(id: string, sharer: Sharer, elapsedMs: number): Promise<void> {
    const used = await this.#usedMicros(id)
    const before = sharer.usedMicros
    sharer.usedMicros = used
    sharer.wasBusy = sharer.isBusy
    if (used === undefined || before === undefined) return
    sharer.isBusy = used - before > idleCores * elapsedMs * 1000
  }

  async #usedMicros(id: string): Promise<number | undefined> {
    const { layout, accounts, groupOf } = this.#options
    const group = groupOf(id)
    const read = (path: string) => readFile(path, 'utf8').catch(() => undefined)
    if (layout.kind === 'v2') {
      const stat = await read(join(layout.roots.cpu ?? '', group, 'cpu.stat'))
      const micros = /^usage_usec (\d+)$/m.exec(stat ?? '')?.[1]
      return micros === undefined ? undefined : Number(micros)
    }
    const nanos = accounts === undefined ? undefined : await read(join(accounts, group, 'cpuacct.usage'))
    return nanos === undefined ? undefined : Number(nanos) / 1000
  }

  /** A machine that has just ended has no group any more, which is not an error. */
  async #weigh(id: string, sharer: Sharer, shares: number): Promise<void> {
    const { layout, groupOf } = this.#options
    const folder = join(layout.roots.cpu ?? '', groupOf(id))
    const isV2 = layout.kind === 'v2'
    const file = join(folder, isV2 ? 'cpu.weight' : 'cpu.shares')
    const value = isV2 ? weightOf(shares) : shares
    await writeFile(file, String(value)).then(
      () => {
        sharer.shares = shares
      },
      () => {},
    )
    // Disk writes are shared in the same way where the kernel can do it.
    if (isV2) await writeFile(join(folder, 'io.weight'), `default ${value}`).catch(() => {})
  }
}

/** Converts `cpu.shares` of v1 to `cpu.weight` of v2, as OCI runtimes do. */
export function weightOf(shares: number): number {
  return 1 + Math.floor(((shares - minShares) * 9999) / (maxShares - minShares))
}

/** Finds where cgroups v1 count processor time. */
export function accountsRoot(mountTable: string): string | undefined {
  return mountTable
    .split('\n')
    .map(line => line.split(' '))
    .find(([, , type, options]) => type === 'cgroup' && options?.split(',').includes('cpuacct'))?.[1]
}
