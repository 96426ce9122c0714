import { addAbortListener } from 'node:events'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { union } from '@sandglass/wire/frames'
import { MachineError } from '../../../contract/errors.ts'
import type { Rect } from '../../../contract/rect.ts'
import type { ScreenSize } from '../../../contract/spec.ts'
import { captureScreen } from '../../../screens/adb/capture-screen.ts'
import type { Session } from '../../../screens/adb/device.ts'
import { difference } from '../../../screens/adb/difference.ts'
import type { PublishedPicture } from '../../../screens/adb/published-picture.ts'
import type { Capture } from '../../../screens/adb/screencap.ts'
import { captureOf } from './capture-of.ts'
import { Exactness } from './exactness.ts'
import { VideoDecoder } from './video-decoder.ts'
import { VideoPackets } from './video-packets.ts'
import { videoSizeOf } from './video-size.ts'

/** A busy device takes seconds until its encoder has the first picture. */
const firstPictureMs = 15_000
/** No screen turns more often. */
const turnMs = 200

export interface FilmOptions {
  readonly session: Session
  readonly shown: PublishedPicture
  /** The program that decodes: ffmpeg. */
  readonly decoder: string
  /** Called with the first picture. */
  readonly onBegin: () => void
}

/**
 * Shows what changes on a screen by its video. Video is lossy, so captures make exact what it has shown, and only what changed from
 * one picture of it to the next is taken over: the rest stays exact.
 */
export class Film {
  readonly #options: FilmOptions
  readonly #exactness = new Exactness()
  readonly #failure = Promise.withResolvers<never>()
  #decoder: VideoDecoder | undefined
  #configuration: Buffer = Buffer.alloc(0)
  #size: ScreenSize | undefined
  /** What the video showed since the capture began that is being made. */
  #newer: Rect | undefined
  #hasBegun = false
  #isOver = false
  /** Ends the wait for the next capture. */
  #wake = () => {}

  constructor(options: FilmOptions) {
    this.#options = options
    this.#failure.promise.catch(() => {})
  }

  /** Until the signal, or the end of the video; rejects where that fails. */
  async run(video: Duplex, signal: AbortSignal): Promise<void> {
    const unwatched = Promise.withResolvers<void>()
    using _ = addAbortListener(signal, () => unwatched.resolve())
    try {
      await Promise.race([
        ...[this.#read(video), this.#keepExact()],
        ...[this.#failure.promise, unwatched.promise],
      ])
    } finally {
      this.#isOver = true
      this.#wake()
      this.#decoder?.close()
    }
  }

  async #read(video: Duplex): Promise<void> {
    const packets = new VideoPackets()
    for await (const chunk of video)
      for (const { isConfiguration, data } of packets.receive(chunk)) {
        if (this.#isOver) return
        if (isConfiguration) await this.#configure(data)
        else this.#decoder?.decode(data)
      }
  }

  /** Pictures of another size may follow, and how large the screen itself is only a capture tells. */
  async #configure(configuration: Buffer): Promise<void> {
    if (this.#decoder && configuration.equals(this.#configuration)) return
    // Each time costs a process.
    if (this.#configuration.length > 0) await pause(turnMs)
    this.#configuration = configuration
    this.#dropDecoder()
    const screen = await captureOf(videoSizeOf(configuration), () => this.#capture())
    if (this.#isOver) return
    this.#options.shown.show(screen)
    this.#size = screen
    this.#decoder = new VideoDecoder(this.#options.decoder, screen, {
      onPicture: (now, before) => this.#onPicture(now, before),
      onFailure: error => this.#failure.reject(error),
    })
    this.#decoder.configure(configuration)
  }

  #onPicture(now: Capture, before: Capture | undefined): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.#options.onBegin()
      this.#wake()
    }
    const [area] = before ? difference(before, now) : []
    if (before && !area) return
    if (this.#exactness.lose()) this.#wake()
    if (!area) return
    this.#newer = this.#newer ? union(this.#newer, area) : area
    this.#options.shown.patch(now, area)
  }

  async #keepExact(): Promise<void> {
    await this.#wait(firstPictureMs)
    if (!this.#hasBegun && !this.#isOver)
      throw failed(`its video had no picture within ${firstPictureMs / 1000} s`)
    while (!this.#isOver) {
      const leftMs = this.#exactness.leftMs()
      if (leftMs > 0) await this.#wait(leftMs)
      else await this.#makeExact()
    }
  }

  /** For so long, or until there is something new. */
  #wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #makeExact(): Promise<void> {
    const decoder = this.#decoder
    this.#exactness.begin()
    this.#newer = undefined
    const capture = await this.#capture()
    // One from before the screen was turned, or from before nobody watched.
    if (this.#isOver || this.#decoder !== decoder) return
    if (capture.width !== this.#size?.width || capture.height !== this.#size.height) this.#dropDecoder()
    const hasChanged = this.#options.shown.show(capture, this.#newer)
    if (!this.#newer && !this.#exactness.gain(hasChanged))
      throw failed('its video stands still while its screen does not')
  }

  /** The screen was turned, and its video begins anew. */
  #dropDecoder(): void {
    this.#decoder?.close()
    this.#decoder = undefined
  }

  #capture(): Promise<Capture> {
    const { link, timeout } = this.#options.session
    return timeout.answer(captureScreen(link))
  }
}

function failed(reason: string): MachineError {
  return new MachineError('MACHINE_FAILED', reason)
}
