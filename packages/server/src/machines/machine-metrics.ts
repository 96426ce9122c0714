import { type Death, MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { asApiError } from '../db/faults.ts'

/** What a machine is created for. */
export type Purpose = 'sandbox' | 'pool' | 'work'

/** How a sandbox got its machine: it claimed one of the warm pool, or one was created for it. */
export type Way = 'claimed' | 'created'

/** The metrics of creating and losing machines. Their labels come from the catalogue and from the code, never from tenants. */
export class MachineMetrics {
  readonly #creates: Counter<'shape' | 'result'>
  readonly #starts: Histogram<'shape' | 'way'>
  readonly #failures: Counter<'purpose' | 'reason'>
  readonly #deaths: Counter<'cause'>
  readonly #builds: Counter<'result'>
  readonly #buildSeconds: Histogram
  readonly #building: Gauge

  constructor(registry: Registry) {
    const registers = [registry]
    this.#creates = new Counter({
      name: 'sandglass_creates_total',
      help: 'Creates of sandboxes that this process was asked for, by shape and result: accepted, or the code of the error.',
      labelNames: ['shape', 'result'],
      registers,
    })
    this.#starts = new Histogram({
      name: 'sandglass_time_to_running_seconds',
      help: 'How long new sandboxes took to be RUNNING, by shape and by whether the machine was claimed from the warm pool or created.',
      labelNames: ['shape', 'way'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120],
      registers,
    })
    this.#failures = new Counter({
      name: 'sandglass_machine_failures_total',
      help: 'Machines that could not be created, by purpose (sandbox, pool, or work such as image builds) and reason.',
      labelNames: ['purpose', 'reason'],
      registers,
    })
    this.#deaths = new Counter({
      name: 'sandglass_machine_deaths_total',
      help: 'Machines that ended by themselves, by cause: orderly (shut down from inside), failed, out-of-memory, engine-lost, or member-lost.',
      labelNames: ['cause'],
      registers,
    })
    this.#builds = new Counter({
      name: 'sandglass_image_builds_total',
      help: 'Builds of images that organizations ordered, by result: ready, or failed.',
      labelNames: ['result'],
      registers,
    })
    this.#buildSeconds = new Histogram({
      name: 'sandglass_image_build_seconds',
      help: 'How long builds of images took that organizations ordered.',
      buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600],
      registers,
    })
    this.#building = new Gauge({
      name: 'sandglass_image_builds_under_way',
      help: 'Builds of images that organizations ordered and that are under way.',
      registers,
    })
  }

  /** Counts a create by its error, if it failed. */
  create(shape: string, error?: unknown): void {
    this.#creates.inc({ shape, result: error === undefined ? 'accepted' : codeOf(error) })
  }

  running(shape: string, way: Way, seconds: number): void {
    this.#starts.observe({ shape, way }, seconds)
  }

  failed(purpose: Purpose, error: unknown): void {
    this.#failures.inc({ purpose, reason: error instanceof MachineError ? error.code : 'OTHER' })
  }

  died({ cause, orderly }: Death): void {
    this.#deaths.inc({ cause: cause ?? (orderly ? 'orderly' : 'failed') })
  }

  /** Call the result once, when the build is over. */
  building(): (isReady: boolean) => void {
    const from = performance.now()
    this.#building.inc()
    return isReady => {
      this.#building.dec()
      this.#builds.inc({ result: isReady ? 'ready' : 'failed' })
      this.#buildSeconds.observe((performance.now() - from) / 1000)
    }
  }
}

function codeOf(error: unknown): string {
  return (error instanceof ApiError ? error : asApiError(error))?.code ?? 'service.INTERNAL'
}
