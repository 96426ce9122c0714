import { setTimeout as pause } from 'node:timers/promises'
import type { Input } from '../../contract/input.ts'
import type { Frame, Look, Screen, SettleOptions, Watcher } from '../../contract/screen.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import type { UiTree } from '../../contract/ui-tree.ts'
import { Restlessness } from '../restlessness.ts'
import { captureScreen } from './capture-screen.ts'
import type { Device } from './device.ts'
import { difference } from './difference.ts'
import { readTree } from './read-tree.ts'
import type { ScreenVideo } from './screen-video.ts'
import type { Capture } from './screencap.ts'
import { ShownPicture } from './shown-picture.ts'
import { TouchInput } from './touch-input.ts'

/** While somebody watches, the next capture begins so long after the one before: a device tells nobody what changes. */
const betweenMs = 30

/** After a capture that failed, as while the device restarts. */
const afterFailureMs = 500

/** What a device shows, by its own `screencap`, and while somebody watches by video where that can be had. */
export class AdbScreen implements Screen {
  readonly #device: Device
  readonly #input: TouchInput
  readonly #video: ScreenVideo | undefined
  readonly #watchers = new Set<Watcher>()
  readonly #shown = new ShownPicture((changed, now) => {
    for (const watcher of this.#watchers) watcher(changed, this.#frame(now))
  })
  /** What the last look saw. */
  #seen: Capture | undefined
  #isWatching = false
  #unwatched = new AbortController()

  constructor(device: Device, video?: ScreenVideo) {
    this.#device = device
    this.#video = video
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
    if (!this.#shown.now) this.#shown.show(await this.#capture())
    const { now } = this.#shown
    if (now) watcher([{ x: 0, y: 0, width: now.width, height: now.height }], this.#frame(now))
    this.#watchers.add(watcher)
    if (!this.#isWatching) void this.#watchOn()
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size === 0) this.#unwatched.abort()
    }
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
    this.#unwatched.abort()
    this.#device.close()
  }

  async #watchOn(): Promise<void> {
    this.#isWatching = true
    while (this.#watchers.size > 0) {
      this.#unwatched = new AbortController()
      const { signal } = this.#unwatched
      await Promise.all([this.#captureOn(signal), this.#video?.follow(this.#device, this.#shown, signal)])
    }
    this.#isWatching = false
    this.#shown.forget()
  }

  /** Whenever no video goes on. */
  async #captureOn(signal: AbortSignal): Promise<void> {
    let waitMs = betweenMs
    for (;;) {
      await pause(waitMs)
      await this.#video?.goesOn
      if (signal.aborted) return
      const now = await this.#capture().catch(() => undefined)
      waitMs = now ? betweenMs : afterFailureMs
      // The video may have begun meanwhile, and is newer then.
      if (now && !this.#video?.goesOn) this.#shown.show(now)
    }
  }

  #pointed(): void {
    const { now } = this.#shown
    if (now) for (const watcher of this.#watchers) watcher([], this.#frame(now))
  }

  #frame(capture: Capture): Frame {
    return { ...capture, pointer: this.#input.place }
  }

  #capture(memory?: Uint8Array<ArrayBuffer>): Promise<Capture> {
    return this.#device.use(({ link, patience }) => patience.answer(captureScreen(link, memory)))
  }
}
