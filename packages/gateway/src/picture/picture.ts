import type { Damage, Frame, Screen } from '@sandglass/machines/contract'
import type { PictureFeed, PictureSink } from './feed.ts'
import type { PictureFigures } from './figures.ts'
import { Pace } from './pace.ts'
import { Pointer } from './pointer.ts'
import { Show } from './show.ts'
import { Viewer } from './viewer.ts'

export interface PictureOptions {
  /** The program that films what moves; `ffmpeg` unless given. Where it is not there, nothing is filmed. */
  readonly ffmpeg?: string
  /** Told once when the screen cannot be watched. Nothing is sent any more then. */
  readonly onFailure?: (error: unknown) => void
  /** Told of what went wrong though the picture goes on, such as that nothing can be filmed. */
  readonly onFault?: (error: unknown) => void
}

/** A screen for as many as look at it, watched while somebody does. */
export class Picture {
  readonly figures: PictureFigures = { encodings: 0, units: 0 }
  readonly #screen: Screen
  readonly #options: PictureOptions
  readonly #viewers = new Set<Viewer>()
  readonly #pointer = new Pointer()
  readonly #pace = new Pace(() => this.#show?.advance())
  #show: Show | undefined
  #watch: Promise<() => void> | undefined

  constructor(screen: Screen, options: PictureOptions = {}) {
    this.#screen = screen
    this.#options = options
  }

  attach(sink: PictureSink): PictureFeed {
    const viewer = new Viewer(sink)
    this.#viewers.add(viewer)
    if (this.#show) this.#welcome(viewer, this.#show)
    this.#watch ??= this.#begin()
    return {
      acknowledge: sequence => {
        viewer.flow.acknowledged(sequence)
        viewer.pointer.acknowledged()
        viewer.tellPointer(this.#pointer)
        if (this.#show?.hasNews) this.#pace.request()
        else this.#show?.serve()
      },
      pointed: (x, y) => viewer.pointer.isAt(x, y),
      refresh: () => {
        if (this.#show) this.#welcome(viewer, this.#show)
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
    this.#show?.leave(viewer)
    if (this.#viewers.size === 0) this.#end()
  }

  #welcome(viewer: Viewer, show: Show): void {
    viewer.pointer.forget()
    viewer.tellPointer(this.#pointer)
    show.welcome(viewer)
    show.serve()
  }

  async #begin(): Promise<() => void> {
    try {
      const unwatch = await this.#screen.watch((changed, now) => this.#onChange(changed, now))
      const look = this.#screen.glimpse?.(glimpse => this.#show?.glimpse(glimpse))
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
    this.#pace.stop()
    this.#show?.close()
    this.#show = undefined
  }

  #onChange(changed: readonly Damage[], now: Frame): void {
    if (this.#viewers.size === 0) return
    this.#pointer.take(now.pointer)
    if (this.#show?.hasSizeOf(now)) this.#show.hear(changed, now)
    else this.#beginShow(now)
    for (const viewer of this.#viewers) viewer.tellPointer(this.#pointer)
    if (this.#show?.hasNews) this.#pace.request()
  }

  #beginShow(now: Frame): void {
    this.#show?.close()
    this.#show = new Show(now, {
      ffmpeg: this.#options.ffmpeg ?? 'ffmpeg',
      viewers: this.#viewers,
      figures: this.figures,
      onFault: error => this.#options.onFault?.(error),
    })
    this.#show.serve()
  }
}
