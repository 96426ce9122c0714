import { setTimeout as pause } from 'node:timers/promises'
import type { Input } from '../../contract/input.ts'
import type { Rect } from '../../contract/rect.ts'
import type { Frame, Look, Screen, SettleOptions, Watcher } from '../../contract/screen.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import type { UiTree } from '../../contract/ui-tree.ts'
import { Restlessness } from '../restlessness.ts'
import { captureScreen } from './capture-screen.ts'
import type { Device } from './device.ts'
import { difference } from './difference.ts'
import { readTree } from './read-tree.ts'
import type { Capture } from './screencap.ts'
import { TouchInput } from './touch-input.ts'

/** While somebody watches, the next capture begins so long after the one before: a device tells nobody what changes. */
const betweenMs = 30

/** After a capture that failed, as while the device restarts. */
const afterFailureMs = 500

/** What a device shows, by its own `screencap`. */
export class AdbScreen implements Screen {
  readonly #device: Device
  readonly #input: TouchInput
  readonly #watchers = new Set<Watcher>()
  /** What the last look saw. */
  #seen: Capture | undefined
  /** What the watchers have been told of. */
  #told: Capture | undefined
  #isWatching = false

  constructor(device: Device) {
    this.#device = device
    this.#input = new TouchInput(device, () => this.#pointed())
  }

  size(): Promise<ScreenSize> {
    return this.#device.use(({ hands }) => hands.size())
  }

  async look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    const capture = await this.#capture(memory)
    const changed = difference(this.#seen, capture)
    this.#seen = { ...capture, pixels: capture.pixels.slice() }
    return { frame: this.#frame(capture), changed }
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

  async watch(watcher: Watcher): Promise<() => void> {
    this.#told ??= await this.#capture()
    const { width, height } = this.#told
    watcher([{ x: 0, y: 0, width, height }], this.#frame(this.#told))
    this.#watchers.add(watcher)
    if (!this.#isWatching) void this.#watchOn()
    return () => void this.#watchers.delete(watcher)
  }

  async input(): Promise<Input> {
    return this.#input
  }

  uiTree(): Promise<UiTree> {
    return this.#device.use(({ shell }) => readTree(shell))
  }

  /** Lets go of the device. */
  close(): void {
    this.#watchers.clear()
    this.#device.close()
  }

  async #watchOn(): Promise<void> {
    this.#isWatching = true
    let waitMs = betweenMs
    while (this.#watchers.size > 0) {
      await pause(waitMs)
      const now = await this.#capture().catch(() => undefined)
      waitMs = now ? betweenMs : afterFailureMs
      if (now) this.#tell(now)
    }
    this.#isWatching = false
    this.#told = undefined
  }

  #tell(now: Capture): void {
    const changed: readonly Rect[] = difference(this.#told, now)
    this.#told = now
    if (changed.length > 0) for (const watcher of this.#watchers) watcher(changed, this.#frame(now))
  }

  #pointed(): void {
    if (this.#told) for (const watcher of this.#watchers) watcher([], this.#frame(this.#told))
  }

  #frame(capture: Capture): Frame {
    return { ...capture, pointer: this.#input.place }
  }

  #capture(memory?: Uint8Array<ArrayBuffer>): Promise<Capture> {
    return this.#device.use(({ link, patience }) => patience.answer(captureScreen(link, memory)))
  }
}
