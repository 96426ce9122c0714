import { ApiError } from '@sandglass/protocol'
import type { Pool } from 'undici'
import type { Dialable } from './dialable.ts'
import { guestPool } from './guest-pool.ts'

/** Idle connections are closed after this long, or sooner if the guest asks for it. */
const keepAliveMs = 4000
/** Pools that were unused for this long are closed. */
const unusedMs = 300_000

/** The most ports of one machine that one mapping leads to at a time. Only entrances that name ports freely have more than one. */
const maxTargets = 64
const retrySeconds = 1

interface Kept {
  readonly pool: Pool
  readonly to: Dialable
  usedAt: number
}

/** Connection pools for the targets of mappings, one per target. */
export class Upstreams {
  readonly #kept = new Map<string, Map<string, Kept>>()
  readonly #connections: number

  constructor(connections: number) {
    this.#connections = connections
  }

  /**
   * A pool for a port of a machine, dialled from inside the machine. A restarted machine is a new machine and gets a
   * new pool.
   */
  guest(mapping: string, machine: Dialable, target: string): Pool {
    const now = performance.now()
    const pools = this.#kept.get(mapping) ?? new Map<string, Kept>()
    this.#kept.set(mapping, pools)
    const kept = pools.get(target)
    if (kept?.to === machine) {
      kept.usedAt = now
      return kept.pool
    }
    if (kept) close(pools, target)
    else if (pools.size >= maxTargets) makeRoom(pools)
    const pool = guestPool(machine, target, this.#options())
    pools.set(target, { pool, to: machine, usedAt: now })
    return pool
  }

  /** Closes the mapping's connections immediately. */
  forget(mapping: string): void {
    const pools = this.#kept.get(mapping)
    this.#kept.delete(mapping)
    for (const { pool } of pools?.values() ?? []) void pool.destroy()
  }

  forgetUnused(now: number): void {
    for (const [mapping, pools] of this.#kept) {
      for (const [target, { usedAt, pool }] of pools)
        if (now - usedAt > unusedMs && pool.stats.size === 0) close(pools, target)
      if (pools.size === 0) this.#kept.delete(mapping)
    }
  }

  async close(): Promise<void> {
    const all = [...this.#kept.values()].flatMap(pools => [...pools.values()])
    this.#kept.clear()
    await Promise.all(all.map(({ pool }) => pool.destroy()))
  }

  /** undici's own timeouts are off: the gateway enforces them, since it sees both directions. */
  #options() {
    return {
      connections: this.#connections,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
    }
  }
}

function close(pools: Map<string, Kept>, target: string): void {
  const kept = pools.get(target)
  pools.delete(target)
  void kept?.pool.destroy()
}

/** Closes the pool that was unused for longest. */
function makeRoom(pools: Map<string, Kept>): void {
  const unused = [...pools].filter(([, { pool }]) => pool.stats.size === 0)
  const [oldest] = unused.toSorted(([, one], [, other]) => one.usedAt - other.usedAt)
  if (!oldest) throw new ApiError('mapping.BUSY', { retryAfter: retrySeconds })
  close(pools, oldest[0])
}
