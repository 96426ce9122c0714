import type { DiskSpace } from './disk-space.ts'
import type { HostMemory } from './host-memory.ts'

/**
 * Watches what must not run out on this host. While something is short, no machines are created, so that those that run have
 * what is left. Whatever is short is looked at again every few seconds, so creates succeed again without anybody's help.
 */
export class ProtectiveLimits {
  readonly #disk: DiskSpace
  readonly #memory: HostMemory

  constructor(disk: DiskSpace, memory: HostMemory) {
    this.#disk = disk
    this.#memory = memory
  }

  /** Returns why this host creates no machines now, as of the last check, or undefined. */
  shortage(): string | undefined {
    return this.#disk.problem() ?? this.#memory.problem()
  }

  async check(): Promise<void> {
    await Promise.all([this.#disk.check(), this.#memory.check()])
  }

  /** Checks the disk, without whose space nothing can be stored: returns why the service is not ready, or undefined. */
  async diskProblem(): Promise<string | undefined> {
    await this.#disk.check()
    return this.#disk.problem()
  }

  /** Checks the memory. Without enough of it, the service does everything but create machines, so it is ready. */
  async degraded(): Promise<{ readonly check: string; readonly reason: string }[]> {
    await this.#memory.check()
    const reason = this.#memory.problem()
    return reason === undefined ? [] : [{ check: 'memory', reason }]
  }
}
