import type { Frame, Rect, Screen } from '@sandglass/machines/contract'
import { type Area, encodeTile } from '@sandglass/wire/frames'
import { CellCache } from './cell-cache.ts'
import type { PictureFeed, PictureSink } from './feed.ts'
import { Mirror } from './mirror.ts'
import { pack } from './pack.ts'
import { Pointer } from './pointer.ts'
import { tileOfPixels } from './tile-of-pixels.ts'
import { Viewer } from './viewer.ts'

export interface PictureOptions {
  /** Told once when the screen cannot be watched. Nothing is sent any more then. */
  readonly onFailure?: (error: unknown) => void
}

/**
 * A screen for as many as look at it. What changes is encoded once and sent to all who have everything before it; whoever
 * is behind is sent the cells that it lacks, as they are when it can take them.
 */
export class Picture {
  readonly #screen: Screen
  readonly #options: PictureOptions
  readonly #viewers = new Set<Viewer>()
  readonly #pointer = new Pointer()
  #mirror: Mirror | undefined
  #cache: CellCache | undefined
  #watch: Promise<() => void> | undefined

  constructor(screen: Screen, options: PictureOptions = {}) {
    this.#screen = screen
    this.#options = options
  }

  /** The screen is watched while there are viewers. */
  attach(sink: PictureSink): PictureFeed {
    const viewer = new Viewer(sink)
    this.#viewers.add(viewer)
    if (this.#mirror) this.#welcome(viewer)
    this.#watch ??= this.#begin()
    return {
      acknowledge: sequence => {
        viewer.acknowledged(sequence)
        this.#catchUp(viewer)
      },
      refresh: () => {
        this.#lackAll(viewer)
        this.#catchUp(viewer)
      },
      close: () => {
        this.#viewers.delete(viewer)
        if (this.#viewers.size === 0) this.#end()
      },
    }
  }

  close(): void {
    this.#viewers.clear()
    this.#end()
  }

  async #begin(): Promise<() => void> {
    try {
      return await this.#screen.watch((changed, now) => this.#onChange(changed, now))
    } catch (error) {
      this.#watch = undefined
      this.#options.onFailure?.(error)
      return () => {}
    }
  }

  #end(): void {
    this.#watch?.then(unwatch => unwatch())
    this.#watch = undefined
    this.#mirror = undefined
    this.#cache = undefined
  }

  #onChange(changed: readonly Rect[], now: Frame): void {
    if (this.#viewers.size === 0) return
    if (!this.#mirror?.hasSizeOf(now)) {
      this.#beginScreen(now)
      return
    }
    const news = this.#pointer.take(now.pointer)
    for (const viewer of this.#viewers) for (const frame of news) viewer.sink.send(frame)
    const areas = this.#mirror.take(changed, now)
    if (areas.length > 0) this.#tell(areas, this.#mirror)
  }

  #beginScreen(now: Frame): void {
    this.#mirror = new Mirror(now)
    this.#cache = new CellCache(this.#mirror)
    this.#mirror.take([{ x: 0, y: 0, width: now.width, height: now.height }], now)
    this.#pointer.take(now.pointer)
    for (const viewer of this.#viewers) this.#welcome(viewer)
  }

  #welcome(viewer: Viewer): void {
    for (const frame of this.#pointer.whole()) viewer.sink.send(frame)
    this.#lackAll(viewer)
    this.#catchUp(viewer)
  }

  #lackAll(viewer: Viewer): void {
    viewer.missing.clear()
    for (const cell of this.#mirror?.cells.all() ?? []) viewer.missing.add(cell)
  }

  #tell(areas: readonly Area[], mirror: Mirror): void {
    const { cells, width, height } = mirror
    const touched = areas.flatMap(area => [...cells.under(area)])
    for (const cell of touched) this.#cache?.forget(cell)
    const current = [...this.#viewers].filter(viewer => viewer.missing.size === 0 && viewer.canTake)
    for (const viewer of this.#viewers)
      if (!current.includes(viewer)) for (const cell of touched) viewer.missing.add(cell)
    if (current.length > 0) {
      const ops = pack(Buffer.concat(areas.map(area => encodeTile(tileOfPixels(mirror, area)))))
      for (const viewer of current) viewer.send({ type: 'tiles', width, height, ops })
    }
    for (const viewer of this.#viewers) this.#catchUp(viewer)
  }

  #catchUp(viewer: Viewer): void {
    const [mirror, cache] = [this.#mirror, this.#cache]
    if (!mirror || !cache || viewer.missing.size === 0 || !viewer.canTake) return
    const ops = Buffer.concat([...viewer.missing].map(cell => cache.get(cell)))
    viewer.missing.clear()
    viewer.send({ type: 'tiles', width: mirror.width, height: mirror.height, ops })
  }
}
