import { setTimeout as pause } from 'node:timers/promises'
import type { Input } from '../../contract/input.ts'
import type { Clipboard, Frame, Look, Sample, Screen, SettleOptions, Watcher } from '../../contract/screen.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import type { UiTree } from '../../contract/ui-tree.ts'
import { BlinkFilter } from '../blink-filter.ts'
import { captureScreen } from './capture-screen.ts'
import type { Device } from './device.ts'
import { difference } from './difference.ts'
import { PublishedPicture } from './published-picture.ts'
import { readTree } from './read-tree.ts'
import type { ScreenVideo } from './screen-video.ts'
import type { Capture } from './screencap.ts'
import { TouchInput } from './touch-input.ts'

/** The delay between two captures while somebody watches, because a device does not report changes. */
const captureDelayMs = 30

/** The delay after a capture that failed, for example while the device restarts. */
const afterFailureMs = 500

/**
 * The screen of a device. Pictures come from `screencap` or, while somebody watches, from a video stream where the
 * device offers one.
 */
export class AdbScreen implements Screen {
  /** Android lets nobody write its clipboard over ADB, so what is pasted is typed. What a device copies is not known. */
  readonly clipboard: Clipboard = {
    watch: async () => () => {},
    write: async text => this.#input.setPasted(text),
  }
  readonly #device: Device
  readonly #input: TouchInput
  readonly #video: ScreenVideo | undefined
  readonly #watchers = new Set<Watcher>()
  readonly #picture = new PublishedPicture((changed, now) => {
    for (const watcher of this.#watchers) watcher(changed, this.#frame(now))
  })
  /** The picture of the last look, which the next look is compared with. */
  #seen: Capture | undefined
  /** The picture of the last sample, which the next one is compared with. */
  #sampled: { readonly version: number; readonly capture: Capture } | undefined
  #isWatching = false
  #unwatched = new AbortController()

  constructor(device: Device, video?: ScreenVideo) {
    this.#device = device
    this.#video = video
    this.#input = new TouchInput(device, () => this.#pointed())
  }

  size(): Promise<ScreenSize> {
    return this.#device.use(({ injector }) => injector.size())
  }

  async look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    const capture = await this.#capture(memory)
    const changed = difference(this.#seen, capture)
    this.#seen = { ...capture, pixels: capture.pixels.slice() }
    return { frame: this.#frame(capture), changed }
  }

  /** A device does not report changes, so every sample is a capture, unless somebody watches. */
  async sample(known?: number, memory?: Uint8Array<ArrayBuffer>): Promise<Sample> {
    const capture = this.#picture.now ?? (await this.#capture(memory))
    const before = this.#sampled
    if (!before || difference(before.capture, capture).length > 0)
      this.#sampled = {
        version: (before?.version ?? 0) + 1,
        capture: { ...capture, pixels: capture.pixels.slice() },
      }
    const { version = 0 } = this.#sampled ?? {}
    if (version === known) return { version }
    return { version, frame: this.#frame({ ...capture, pixels: capture.pixels.slice() }) }
  }

  async settled({ quietMs, maxMs, signal }: SettleOptions): Promise<boolean> {
    const beganMs = performance.now()
    const blinkFilter = new BlinkFilter()
    let quietSinceMs = beganMs
    let before = await this.#capture()
    for (;;) {
      const nowMs = performance.now()
      if (nowMs - quietSinceMs >= quietMs) return true
      if (nowMs - beganMs >= maxMs) return false
      await pause(Math.min(captureDelayMs, quietMs), undefined, { signal })
      const now = await this.#capture()
      const changed = difference(before, now)
      if (changed.length > 0 && blinkFilter.isActivity(changed, performance.now()))
        quietSinceMs = performance.now()
      before = now
    }
  }

  async watch(watcher: Watcher): Promise<() => void> {
    if (!this.#picture.now) this.#picture.show(await this.#capture())
    const { now } = this.#picture
    if (now) watcher([{ x: 0, y: 0, width: now.width, height: now.height }], this.#frame(now))
    this.#watchers.add(watcher)
    if (!this.#isWatching) void this.#followWhileWatched()
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

  /** Disconnects from the device. */
  close(): void {
    this.#watchers.clear()
    this.#unwatched.abort()
    this.#device.close()
  }

  async #followWhileWatched(): Promise<void> {
    this.#isWatching = true
    while (this.#watchers.size > 0) {
      this.#unwatched = new AbortController()
      const { signal } = this.#unwatched
      await Promise.all([
        this.#captureRepeatedly(signal),
        this.#video?.follow(this.#device, this.#picture, signal),
      ])
    }
    this.#isWatching = false
    this.#picture.forget()
  }

  /** Captures the screen again and again, except while a video is playing. */
  async #captureRepeatedly(signal: AbortSignal): Promise<void> {
    let waitMs = captureDelayMs
    for (;;) {
      await pause(waitMs)
      await this.#video?.playing
      if (signal.aborted) return
      const now = await this.#capture().catch(() => undefined)
      waitMs = now ? captureDelayMs : afterFailureMs
      // A video that started in the meantime is newer than this capture.
      if (now && !this.#video?.playing) this.#picture.show(now)
    }
  }

  #pointed(): void {
    const { now } = this.#picture
    if (now) for (const watcher of this.#watchers) watcher([], this.#frame(now))
  }

  #frame(capture: Capture): Frame {
    return { ...capture, pointer: this.#input.place }
  }

  #capture(memory?: Uint8Array<ArrayBuffer>): Promise<Capture> {
    return this.#device.use(({ link, timeout }) => timeout.answer(captureScreen(link, memory)))
  }
}
