import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { Device, Session } from '../../../screens/adb/device.ts'
import type { PublishedPicture } from '../../../screens/adb/published-picture.ts'
import type { ScreenVideo } from '../../../screens/adb/screen-video.ts'
import { Film } from './film.ts'
import type { ScrcpyServer } from './scrcpy-server.ts'
import { startServer } from './start-server.ts'

export interface VideoOptions {
  readonly server: ScrcpyServer
  /** The program that decodes: ffmpeg. */
  readonly decoder: string
}

/** How long after a failure it is tried again while somebody watches; each time twice as long. */
const shortestRestMs = 15_000
const longestRestMs = 900_000

/** The video of one phone by a scrcpy server, which runs on the phone while somebody watches. */
export class ScrcpyVideo implements ScreenVideo {
  readonly #options: VideoOptions
  readonly #machine: string
  readonly #tell: (reason: string) => void
  #going: PromiseWithResolvers<void> | undefined
  #told = ''

  /** `tell` hears why there is none, once for each reason. */
  constructor(options: VideoOptions, machine: string, tell: (reason: string) => void) {
    this.#options = options
    this.#machine = machine
    this.#tell = tell
  }

  get playing(): Promise<void> | undefined {
    return this.#going?.promise
  }

  async follow(device: Device, shown: PublishedPicture, signal: AbortSignal): Promise<void> {
    for (let restMs = shortestRestMs; !signal.aborted; restMs = Math.min(2 * restMs, longestRestMs)) {
      try {
        await device.use(session => this.#film(session, shown, signal))
      } catch (error) {
        if (!signal.aborted) this.#explain(error instanceof Error ? error.message : String(error))
      }
      await pause(restMs, undefined, { signal }).catch(() => {})
    }
  }

  async #film(session: Session, shown: PublishedPicture, signal: AbortSignal): Promise<void> {
    const { server, decoder } = this.#options
    const running = await startServer(session, server, this.#machine, signal)
    const onBegin = () => {
      server.version = running.version
      this.#going = Promise.withResolvers()
    }
    try {
      await new Film({ session, shown, decoder, onBegin }).run(running.stream, signal)
      this.#stop()
      if (!signal.aborted) throw new MachineError('MACHINE_FAILED', await running.lastWords())
    } finally {
      this.#stop()
      running.close()
    }
  }

  #stop(): void {
    this.#going?.resolve()
    this.#going = undefined
  }

  #explain(reason: string): void {
    if (reason === this.#told) return
    this.#told = reason
    this.#tell(reason.replace(/\.$/, ''))
  }
}
