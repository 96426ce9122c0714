import type { AdbCredentialStore } from '@yume-chan/adb'
import { asMachineError } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { DeviceState } from './device-state.ts'
import { untilBooted } from './health.ts'
import type { Settings } from './options.ts'
import { resetDevice } from './reset-device.ts'

const longestMs = 15 * 60_000

/** Devices that failed are looked at now and then, and come back when they are well and as new. */
export class Quarantine {
  readonly #settings: Settings
  readonly #state: DeviceState
  readonly #keys: AdbCredentialStore
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #visits = new Set<Promise<void>>()
  readonly #stop = new AbortController()

  constructor(settings: Settings, state: DeviceState, keys: AdbCredentialStore) {
    this.#settings = settings
    this.#state = state
    this.#keys = keys
    for (const address of poolOfDevice(settings).keys())
      if (state.quarantineOf(address)) this.#visitLater(address, settings.recheckMs)
  }

  async putAway(address: string, error: unknown): Promise<void> {
    const { message } = asMachineError(error)
    await this.#state.putAway(address, message)
    this.#settings.tell(`The phone ${address} is in quarantine: ${message}`)
    this.#visitLater(address, this.#settings.recheckMs)
  }

  /** Makes a device as new, and waits until it is up again. */
  async renew(address: string, signal?: AbortSignal): Promise<void> {
    const { bootTimeoutMs, pools } = this.#settings
    const pool = poolOfDevice(this.#settings).get(address)
    // An operator took it out of the pools: whoever puts it back finds it as its last tenant left it, so it waits for a reset.
    if (pool === undefined)
      throw new MachineError('STATE', `No pool names ${address} any more, so it was not reset.`)
    const reset = pools[pool]?.reset ?? 'none'
    await resetDevice(reset, pool, address, signal)
    // One that nobody touched is up.
    await untilBooted(address, this.#keys, reset === 'none' ? 0 : bootTimeoutMs, signal)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    await Promise.all(this.#visits)
  }

  #visitLater(address: string, afterMs: number): void {
    if (this.#stop.signal.aborted || this.#timers.has(address)) return
    const timer = setTimeout(() => {
      const visit = this.#visit(address, afterMs).finally(() => this.#visits.delete(visit))
      this.#visits.add(visit)
    }, afterMs)
    this.#timers.set(address, timer.unref())
  }

  async #visit(address: string, waitedMs: number): Promise<void> {
    try {
      // One that does not answer needs no reset to know that.
      await untilBooted(address, this.#keys, 0)
      await this.renew(address, this.#stop.signal)
      await this.#state.putBack(address)
      this.#timers.delete(address)
      this.#settings.tell(`The phone ${address} is well again.`)
    } catch (error) {
      this.#timers.delete(address)
      if (this.#stop.signal.aborted) return
      await this.#state.putAway(address, asMachineError(error).message)
      this.#visitLater(address, Math.min(2 * waitedMs, longestMs))
    }
  }
}

export function poolOfDevice({ pools }: Settings): Map<string, string> {
  const all = Object.entries(pools)
  return new Map(all.flatMap(([name, { devices }]) => devices.map(address => [address, name] as const)))
}
