import { totalmem } from 'node:os'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import { availableMemoryMiB } from './host-resources.ts'

const MiB = 1024 * 1024

export interface HostMemoryParts {
  readonly reserveMiB: number
  readonly registry: Registry
  readonly log: Logger
  /** The file in which the kernel says what is available, if it is not /proc/meminfo. */
  readonly meminfo?: string | undefined
}

/**
 * Monitors the memory of the host that is available. It logs once when that falls below the reserve and once when it
 * recovers.
 */
export class HostMemory {
  readonly #parts: HostMemoryParts
  #availableMiB = Number.POSITIVE_INFINITY
  #isLow = false

  constructor(parts: HostMemoryParts) {
    this.#parts = parts
    const check = () => this.check()
    const registers = [parts.registry]
    new Gauge({
      name: 'sandglass_host_memory_available_bytes',
      help: 'Memory of the host that the kernel could give to programs.',
      registers,
      async collect() {
        this.set((await check()) * MiB)
      },
    })
    new Gauge({
      name: 'sandglass_host_memory_bytes',
      help: 'Memory that the host has.',
      registers,
    }).set(totalmem())
    new Gauge({
      name: 'sandglass_memory_reserve_bytes',
      help: 'Available memory below which no machines are created (SANDGLASS_MEMORY_RESERVE).',
      registers,
    }).set(parts.reserveMiB * MiB)
  }

  /** Returns why no machine can be created safely, as of the last check, or undefined. */
  problem(): string | undefined {
    const { reserveMiB } = this.#parts
    if (this.#availableMiB >= reserveMiB) return undefined
    return (
      `The host is short of memory: ${this.#availableMiB} MiB are available, and SANDGLASS_MEMORY_RESERVE is ` +
      `${reserveMiB} MiB. Delete sandboxes, or try again later.`
    )
  }

  /** Checks the memory, and returns the MiB that are available. */
  async check(): Promise<number> {
    const { log, meminfo } = this.#parts
    this.#availableMiB = await availableMemoryMiB(meminfo)
    const problem = this.problem()
    const isLow = problem !== undefined
    if (isLow !== this.#isLow) {
      this.#isLow = isLow
      const fields = { availableMiB: this.#availableMiB }
      if (isLow) log.error(fields, problem)
      else log.info(fields, 'The host has enough memory available again.')
    }
    return this.#availableMiB
  }
}
