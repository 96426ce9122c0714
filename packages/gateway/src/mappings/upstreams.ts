import type { Machine } from '@sandglass/machines/contract'
import { Pool } from 'undici'

/** Connections that nothing used for so long are closed, sooner where the guest says so. */
const keepAliveMs = 4000
/** A pool that nobody used for so long is let go. */
const forgottenMs = 300_000

interface Kept {
  readonly pool: Pool
  readonly to: Machine
  usedAt: number
}

/** Connections that are kept open to what mappings lead to: a pool for each mapping. */
export class Upstreams {
  readonly #kept = new Map<string, Kept>()
  readonly #connections: number

  constructor(connections: number) {
    this.#connections = connections
  }

  /** To a port in a machine, dialled from inside it. A machine that was started again is another one. */
  guest(mapping: string, machine: Machine, target: string): Pool {
    return this.#pool(
      mapping,
      machine,
      () =>
        new Pool(`http://${target}`, {
          ...this.#options(),
          connect: (_, done) => {
            machine.dial(`tcp:${target}` as `tcp:${string}:${number}`).then(
              // undici asks of a socket no more than a Duplex has.
              socket => done(null, socket as never),
              error => done(error, null),
            )
          },
        }),
    )
  }

  /** Ends its connections at once. */
  forget(mapping: string): void {
    const kept = this.#kept.get(mapping)
    this.#kept.delete(mapping)
    void kept?.pool.destroy()
  }

  forgetUnused(now: number): void {
    for (const [key, { usedAt, pool }] of this.#kept)
      if (now - usedAt > forgottenMs && pool.stats.size === 0) this.forget(key)
  }

  async close(): Promise<void> {
    const all = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.all(all.map(({ pool }) => pool.destroy()))
  }

  #pool(key: string, to: Machine, make: () => Pool): Pool {
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

  /** What takes too long is the gateway's to end, which knows of both directions. */
  #options() {
    return {
      connections: this.#connections,
      keepAliveTimeout: keepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
    }
  }
}
