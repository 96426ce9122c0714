import { setTimeout as pause } from 'node:timers/promises'
import type { Input } from '../../contract/input.ts'
import type { Look, Rect, Screen, SettleOptions } from '../../contract/screen.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { Restlessness } from '../restlessness.ts'
import type { Device } from './device.ts'
import { difference } from './difference.ts'
import { type Capture, parseScreencap } from './screencap.ts'
import { TouchInput } from './touch-input.ts'

/** While somebody watches, the next capture begins so long after the one before: a device tells nobody what changes. */
const betweenMs = 30

/** What a device shows, by its own `screencap`. */
export class AdbScreen implements Screen {
  readonly #device: Device
  readonly #input: TouchInput
  readonly #watchers = new Set<(rects: readonly Rect[]) => void>()
  #seen: Capture | undefined
  #isWatching = false

  constructor(device: Device) {
    this.#device = device
    this.#input = new TouchInput(device)
  }

  size(): Promise<ScreenSize> {
    return this.#device.use(({ hands }) => hands.size())
  }

  async look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    const capture = await this.#capture(memory)
    const changed = difference(this.#seen, capture)
    this.#seen = { ...capture, pixels: capture.pixels.slice() }
    return { frame: { ...capture, pointer: this.#input.place }, changed }
  }

  async settled({ quietMs, maxMs, signal }: SettleOptions): Promise<boolean> {
    const beganMs = performance.now()
    const restlessness = new Restlessness()
    let quietSinceMs = beganMs
    let before = await this.#capture()
    for (;;) {
      const nowMs = performance.now()
      if (nowMs - quietSinceMs >= quietMs) return true
      if (nowMs - beganMs >= maxMs) return false
      await pause(Math.min(betweenMs, quietMs), undefined, { signal })
      const now = await this.#capture()
      const changed = difference(before, now)
      if (changed.length > 0 && restlessness.isTelling(changed, performance.now()))
        quietSinceMs = performance.now()
      before = now
    }
  }

  async watch(onDamage: (rects: readonly Rect[]) => void): Promise<() => void> {
    await this.size()
    this.#watchers.add(onDamage)
    if (!this.#isWatching) void this.#watchOn()
    return () => void this.#watchers.delete(onDamage)
  }

  async input(): Promise<Input> {
    return this.#input
  }

  /** Lets go of the device. */
  close(): void {
    this.#watchers.clear()
    this.#device.close()
  }

  async #watchOn(): Promise<void> {
    this.#isWatching = true
    let before = await this.#capture().catch(() => undefined)
    while (this.#watchers.size > 0) {
      await pause(betweenMs)
      const now = await this.#capture().catch(() => undefined)
      if (!now) continue
      const changed = difference(before, now)
      before = now
      if (changed.length > 0) for (const watcher of this.#watchers) watcher(changed)
    }
    this.#isWatching = false
  }

  #capture(memory?: Uint8Array<ArrayBuffer>): Promise<Capture> {
    return this.#device.use(async ({ link }) => parseScreencap(await link.output('screencap'), memory))
  }
}
