import type { Pool } from 'undici'
import type { Dialable } from './dialable.ts'
import { guestPool } from './guest-pool.ts'

/** Idle connections are closed after this long, or sooner if the guest asks for it. */
const keepAliveMs = 4000
/** Pools that were unused for this long are closed. */
const unusedMs = 300_000

interface Kept {
  readonly pool: Pool
  readonly to: Dialable
  usedAt: number
}

/** Connection pools for the targets of mappings, one per mapping. */
export class Upstreams {
  readonly #kept = new Map<string, Kept>()
  readonly #connections: number

  constructor(connections: number) {
    this.#connections = connections
  }

  /**
   * A pool for a port of a machine, dialled from inside the machine. A restarted machine is a new machine and gets a
   * new pool.
   */
  guest(mapping: string, machine: Dialable, target: string): Pool {
    return this.#pool(mapping, machine, () => guestPool(machine, target, this.#options()))
  }

  /** Closes the mapping's connections immediately. */
  forget(mapping: string): void {
    const kept = this.#kept.get(mapping)
    this.#kept.delete(mapping)
    void kept?.pool.destroy()
  }

  forgetUnused(now: number): void {
    for (const [key, { usedAt, pool }] of this.#kept)
      if (now - usedAt > unusedMs && pool.stats.size === 0) this.forget(key)
  }

  async close(): Promise<void> {
    const all = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.all(all.map(({ pool }) => pool.destroy()))
  }

  #pool(key: string, to: Dialable, make: () => Pool): Pool {
    const now = performance.now()
    const kept = this.#kept.get(key)
    if (kept?.to === to) {
      kept.usedAt = now
      return kept.pool
    }
    this.forget(key)
    const pool = make()
    this.#kept.set(key, { pool, to, usedAt: now })
    return pool
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
