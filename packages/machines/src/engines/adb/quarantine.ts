import { asMachineError } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { DeviceRoute } from './device-route.ts'
import type { DeviceState } from './device-state.ts'
import { untilBooted } from './health.ts'
import type { Settings } from './options.ts'
import { resetDevice } from './reset-device.ts'

const maxRecheckMs = 15 * 60_000

/** Checks devices that failed with increasing delays, and releases them once they are healthy and reset. */
export class Quarantine {
  readonly #settings: Settings
  readonly #state: DeviceState
  readonly #routeTo: (address: string) => DeviceRoute
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #rechecks = new Set<Promise<void>>()
  readonly #stop = new AbortController()

  constructor(settings: Settings, state: DeviceState, routeTo: (address: string) => DeviceRoute) {
    this.#settings = settings
    this.#state = state
    this.#routeTo = routeTo
    for (const address of poolOfDevice(settings).keys())
      if (state.quarantineOf(address)) this.#scheduleRecheck(address, settings.recheckMs)
  }

  async add(address: string, error: unknown): Promise<void> {
    const { message } = asMachineError(error)
    await this.#state.quarantine(address, message)
    this.#settings.tell(`The phone ${address} is in quarantine: ${message}`)
    this.#scheduleRecheck(address, this.#settings.recheckMs)
  }

  /** Resets a device and waits until it has booted. */
  async reset(address: string, signal?: AbortSignal): Promise<void> {
    const { bootTimeoutMs, pools } = this.#settings
    const pool = poolOfDevice(this.#settings).get(address)
    // The device was removed from the pools. If it is added again, it still has the data of its last tenant, so it
    // stays in quarantine until a reset.
    if (pool === undefined)
      throw new MachineError('STATE', `No pool names ${address} any more, so it was not reset.`)
    const reset = pools[pool]?.reset ?? 'none'
    await resetDevice(reset, pool, address, signal)
    // Without a reset, the device must be up already.
    await untilBooted(this.#routeTo(address), reset === 'none' ? 0 : bootTimeoutMs, signal)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await Promise.all(this.#rechecks)
  }

  #scheduleRecheck(address: string, afterMs: number): void {
    if (this.#stop.signal.aborted || this.#timers.has(address)) return
    const timer = setTimeout(() => {
      const recheck = this.#recheck(address, afterMs).finally(() => this.#rechecks.delete(recheck))
      this.#rechecks.add(recheck)
    }, afterMs)
    this.#timers.set(address, timer.unref())
  }

  async #recheck(address: string, waitedMs: number): Promise<void> {
    try {
      // Check first that the device answers, because a reset would be pointless otherwise.
      await untilBooted(this.#routeTo(address), 0)
      await this.reset(address, this.#stop.signal)
      await this.#state.endQuarantine(address)
      this.#timers.delete(address)
      this.#settings.tell(`The phone ${address} has left quarantine.`)
    } catch (error) {
      this.#timers.delete(address)
      if (this.#stop.signal.aborted) return
      await this.#state.quarantine(address, asMachineError(error).message)
      this.#scheduleRecheck(address, Math.min(2 * waitedMs, maxRecheckMs))
    }
  }
}

export function poolOfDevice({ pools }: Settings): Map<string, string> {
  const all = Object.entries(pools)
  return new Map(all.flatMap(([name, { devices }]) => devices.map(address => [address, name] as const)))
}
