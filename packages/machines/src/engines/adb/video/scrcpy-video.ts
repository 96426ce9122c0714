import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { Device, Session } from '../../../screens/adb/device.ts'
import type { PublishedPicture } from '../../../screens/adb/published-picture.ts'
import type { ScreenVideo } from '../../../screens/adb/screen-video.ts'
import type { ScrcpyServer } from './scrcpy-server.ts'

export interface VideoOptions {
  readonly server: ScrcpyServer
  /** The ffmpeg program. */
  readonly decoder: string
}

/** The delay before a failed video is retried while somebody watches. It doubles each time. */
const minRetryMs = 15_000
const maxRetryMs = 900_000

/** The video of one phone from a scrcpy server, which runs on the phone while somebody watches. */
export class ScrcpyVideo implements ScreenVideo {
  readonly #options: VideoOptions
  readonly #machine: string
  readonly #onFailure: (reason: string) => void
  #playing: PromiseWithResolvers<void> | undefined
  #lastReason = ''

  /** `onFailure` is called with the reason why there is no video, once per reason. */
  constructor(options: VideoOptions, machine: string, onFailure: (reason: string) => void) {
    this.#options = options
    this.#machine = machine
    this.#onFailure = onFailure
  }

  get playing(): Promise<void> | undefined {
    return this.#playing?.promise
  }

  async follow(device: Device, shown: PublishedPicture, signal: AbortSignal): Promise<void> {
    for (let retryMs = minRetryMs; !signal.aborted; retryMs = Math.min(2 * retryMs, maxRetryMs)) {
      try {
        await device.use(session => this.#play(session, shown, signal))
      } catch (error) {
        if (!signal.aborted) this.#report(error instanceof Error ? error.message : String(error))
      }
      await pause(retryMs, undefined, { signal }).catch(() => {})
    }
  }

  async #play(session: Session, shown: PublishedPicture, signal: AbortSignal): Promise<void> {
    const { server, decoder } = this.#options
    // Load them only now, because they need hundreds of modules, for which every start of a service would wait.
    const { startServer } = await import('./start-server.ts')
    const { VideoPlayer } = await import('./video-player.ts')
    const running = await startServer(session, server, this.#machine, signal)
    const onBegin = () => {
      server.version = running.version
      this.#playing = Promise.withResolvers()
    }
    try {
      await new VideoPlayer({ session, shown, decoder, onBegin }).run(running.stream, signal)
      this.#stop()
      if (!signal.aborted) throw new MachineError('MACHINE_FAILED', await running.endReason())
    } finally {
      this.#stop()
      running.close()
    }
  }

  #stop(): void {
    this.#playing?.resolve()
    this.#playing = undefined
  }

  #report(reason: string): void {
    if (reason === this.#lastReason) return
    this.#lastReason = reason
    this.#onFailure(reason.replace(/\.$/, ''))
  }
}
