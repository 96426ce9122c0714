import type { Damage, Frame, Screen } from '@sandglass/machines/contract'
import { Broadcast } from './broadcast.ts'
import type { PictureCounters } from './counters.ts'
import type { PictureFeed, PictureSink } from './feed.ts'
import { FrameRateLimit } from './frame-rate-limit.ts'
import { Pointer } from './pointer.ts'
import { Viewer } from './viewer.ts'

export interface PictureOptions {
  /** The program that encodes video; `ffmpeg` by default. Without it, no video is sent. */
  readonly ffmpeg?: string
  /** Called once if the screen cannot be watched. Nothing more is sent then. */
  readonly onFailure?: (error: unknown) => void
  /** Called with errors that the picture survives, such as a missing video encoder. */
  readonly onFault?: (error: unknown) => void
}

/** The picture of a screen for any number of viewers. The screen is watched while there are any. */
export class Picture {
  readonly counters: PictureCounters = { encodings: 0, units: 0 }
  readonly #screen: Screen
  readonly #options: PictureOptions
  readonly #viewers = new Set<Viewer>()
  readonly #pointer = new Pointer()
  readonly #frameRateLimit = new FrameRateLimit(() => this.#broadcast?.advance())
  #broadcast: Broadcast | undefined
  #watch: Promise<() => void> | undefined

  constructor(screen: Screen, options: PictureOptions = {}) {
    this.#screen = screen
    this.#options = options
  }

  attach(sink: PictureSink): PictureFeed {
    const viewer = new Viewer(sink)
    this.#viewers.add(viewer)
    if (this.#broadcast) this.#welcome(viewer, this.#broadcast)
    this.#watch ??= this.#begin()
    return {
      acknowledge: sequence => {
        viewer.flowControl.acknowledged(sequence)
        viewer.pointer.acknowledged()
        viewer.tellPointer(this.#pointer)
        if (this.#broadcast?.hasNews) this.#frameRateLimit.request()
        else this.#broadcast?.serve()
      },
      pointed: (x, y) => viewer.pointer.isAt(x, y),
      refresh: () => {
        if (this.#broadcast) this.#welcome(viewer, this.#broadcast)
      },
      close: () => this.#detach(viewer),
    }
  }

  close(): void {
    for (const viewer of [...this.#viewers]) this.#detach(viewer)
  }

  #detach(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer)) return
    viewer.isClosed = true
    this.#broadcast?.leave(viewer)
    if (this.#viewers.size === 0) this.#end()
  }

  #welcome(viewer: Viewer, broadcast: Broadcast): void {
    viewer.pointer.forget()
    viewer.tellPointer(this.#pointer)
    broadcast.welcome(viewer)
    broadcast.serve()
  }

  async #begin(): Promise<() => void> {
    try {
      const unwatch = await this.#screen.watch((changed, now) => this.#onChange(changed, now))
      const look = this.#screen.glimpse?.(glimpse => this.#broadcast?.glimpse(glimpse))
      return () => {
        look?.()
        unwatch()
      }
    } catch (error) {
      this.#options.onFailure?.(error)
      return () => {}
    }
  }

  #end(): void {
    this.#watch?.then(unwatch => unwatch())
    this.#watch = undefined
    this.#frameRateLimit.stop()
    this.#broadcast?.close()
    this.#broadcast = undefined
  }

  #onChange(changed: readonly Damage[], now: Frame): void {
    if (this.#viewers.size === 0) return
    this.#pointer.take(now.pointer)
    if (this.#broadcast?.hasSizeOf(now)) this.#broadcast.damaged(changed, now)
    else this.#beginBroadcast(now)
    for (const viewer of this.#viewers) viewer.tellPointer(this.#pointer)
    if (this.#broadcast?.hasNews) this.#frameRateLimit.request()
  }

  #beginBroadcast(now: Frame): void {
    this.#broadcast?.close()
    this.#broadcast = new Broadcast(now, {
      ffmpeg: this.#options.ffmpeg ?? 'ffmpeg',
      viewers: this.#viewers,
      counters: this.counters,
      onFault: error => this.#options.onFault?.(error),
    })
    this.#broadcast.serve()
  }
}
