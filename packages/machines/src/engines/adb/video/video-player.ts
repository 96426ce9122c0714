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
import { captureMatching } from './capture-matching.ts'
import { CaptureSchedule } from './capture-schedule.ts'
import { VideoDecoder } from './video-decoder.ts'
import { VideoPackets } from './video-packets.ts'
import { videoSizeOf } from './video-size.ts'

/** A busy device may take seconds to encode the first picture. */
const firstPictureTimeoutMs = 15_000
/** The min delay between two decoders; no screen rotates more often. */
const minDecoderMs = 200

export interface VideoPlayerOptions {
  readonly session: Session
  readonly shown: PublishedPicture
  /** The ffmpeg program. */
  readonly decoder: string
  /** Called with the first picture of the video. */
  readonly onBegin: () => void
}

/**
 * Publishes the changes of a screen from its video. Video is lossy, so captures make the picture exact again, and
 * only the areas that change from one video picture to the next are copied; the rest stays exact.
 */
export class VideoPlayer {
  readonly #options: VideoPlayerOptions
  readonly #schedule = new CaptureSchedule()
  readonly #failure = Promise.withResolvers<never>()
  #decoder: VideoDecoder | undefined
  #configuration: Buffer = Buffer.alloc(0)
  #size: ScreenSize | undefined
  /** The area that the video has changed since the current capture began. */
  #newer: Rect | undefined
  #hasBegun = false
  #isOver = false
  /** Ends the wait for the next capture. */
  #wake = () => {}

  constructor(options: VideoPlayerOptions) {
    this.#options = options
    this.#failure.promise.catch(() => {})
  }

  /** Runs until the signal fires or the video ends; rejects if the video fails. */
  async run(video: Duplex, signal: AbortSignal): Promise<void> {
    const unwatched = Promise.withResolvers<void>()
    using _ = addAbortListener(signal, () => unwatched.resolve())
    try {
      await Promise.race([
        this.#read(video),
        this.#captureOnSchedule(),
        this.#failure.promise,
        unwatched.promise,
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

  /**
   * Starts a new decoder if the configuration has changed. The pictures may have another size then, and only a
   * capture reveals the size of the screen.
   */
  async #configure(configuration: Buffer): Promise<void> {
    if (this.#decoder && configuration.equals(this.#configuration)) return
    // Limit the rate, because each decoder is a process.
    if (this.#configuration.length > 0) await pause(minDecoderMs)
    this.#configuration = configuration
    this.#dropDecoder()
    const screen = await captureMatching(videoSizeOf(configuration), () => this.#capture())
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
    if (this.#schedule.videoChanged()) this.#wake()
    if (!area) return
    this.#newer = this.#newer ? union(this.#newer, area) : area
    this.#options.shown.patch(now, area)
  }

  async #captureOnSchedule(): Promise<void> {
    await this.#wait(firstPictureTimeoutMs)
    if (!this.#hasBegun && !this.#isOver)
      throw failed(`its video had no picture within ${firstPictureTimeoutMs / 1000} s`)
    while (!this.#isOver) {
      const leftMs = this.#schedule.leftMs()
      if (leftMs > 0) await this.#wait(leftMs)
      else await this.#refine()
    }
  }

  /** Waits for this long, or until `#wake` is called. */
  #wait(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  async #refine(): Promise<void> {
    const decoder = this.#decoder
    this.#schedule.captureStarted()
    this.#newer = undefined
    const capture = await this.#capture()
    // Ignore a capture that began before the screen was rotated, or that is no longer needed.
    if (this.#isOver || this.#decoder !== decoder) return
    if (capture.width !== this.#size?.width || capture.height !== this.#size.height) this.#dropDecoder()
    const hasChanged = this.#options.shown.show(capture, this.#newer)
    if (!this.#newer && !this.#schedule.captured(hasChanged))
      throw failed('its video has stopped while its screen still changes')
  }

  /** Stops the decoder after the screen was rotated; the video continues with a new configuration. */
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
