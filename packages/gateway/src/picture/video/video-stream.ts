import { Backoff } from '@sandglass/supervision'
import { type Area, overlap } from '@sandglass/wire/frames'
import type { DamagedArea } from '../damage.ts'
import type { Mirror } from '../mirror.ts'
import type { Move } from '../moves.ts'
import type { Viewer } from '../viewer.ts'
import { AreaEncoder, type AreaEncoderListener } from './area-encoder.ts'
import type { AccessUnit } from './flv.ts'
import { MotionDetector } from './motion-detector.ts'

/** After this long without motion, the area is drawn exactly again. */
const stillAfterMs = 300

/** The encoder is kept this long after that, since motion often resumes. */
const keptForMs = 5000

/** Min time between new streams, whether for another area or for waiting viewers. */
const minStreamMs = 1500

/** How long to wait for the first frame of an encoder. */
const firstUnitTimeoutMs = 1000

/** A viewer that fell behind is excluded for this long. */
const penaltyMs = 6000

export interface VideoStreamOptions {
  readonly program: string
  readonly audience: () => Iterable<Viewer>
  /** Called when something approximate was sent. */
  readonly onShown: () => void
  readonly onFault: (error: Error) => void
}

/**
 * Sends areas with much motion as video to all viewers that accept video and keep up, with a single encoder. A stream
 * begins with a keyframe, and only a new stream has another one. For another area, and for viewers that join, a new
 * encoder therefore runs next to the old one until its first frame is ready.
 */
export class VideoStream implements AreaEncoderListener {
  readonly #mirror: Mirror
  readonly #options: VideoStreamOptions
  readonly #detector: MotionDetector
  /** The viewers that have every frame of the stream. */
  readonly #members = new Set<Viewer>()
  readonly #fellBehindAtMs = new WeakMap<Viewer, number>()
  #encoding: AreaEncoder | undefined
  #next: AreaEncoder | undefined
  #cells: ReadonlySet<number> = new Set()
  #awaitedCells: ReadonlySet<number> = new Set()
  #isOn = false
  /** Video is retried after a failure with growing delays, since without an encoder it costs all of its pixels. */
  readonly #backoff = new Backoff({ firstMs: 1000 })
  #retryAtMs = 0
  #isFaultReported = false
  #movedAtMs = 0
  #begunAtMs = Number.NEGATIVE_INFINITY
  #keeping: NodeJS.Timeout | undefined

  constructor(mirror: Mirror, options: VideoStreamOptions) {
    this.#mirror = mirror
    this.#options = options
    this.#detector = new MotionDetector(mirror.cells)
  }

  /** Whether a viewer gets this cell as video. */
  shows(cell: number, viewer: Viewer): boolean {
    return this.#isOn && this.#members.has(viewer) && this.#cells.has(cell)
  }

  has(viewer: Viewer): boolean {
    return this.#isOn && this.#members.has(viewer)
  }

  /** Whether a viewer gets this cell as video, now or soon. */
  brings(cell: number, viewer: Viewer): boolean {
    return this.shows(cell, viewer) || this.awaits(cell, viewer)
  }

  /**
   * Whether this cell must not be sent otherwise, since the viewer's first video frame is about to come and needs the
   * bandwidth.
   */
  awaits(cell: number, viewer: Viewer): boolean {
    return this.isAwaitedBy(viewer) && this.#awaitedCells.has(cell)
  }

  isAwaitedBy(viewer: Viewer): boolean {
    const nowMs = performance.now()
    const isSoon = this.#isOn && this.#next !== undefined && nowMs - this.#begunAtMs < firstUnitTimeoutMs
    return isSoon && !this.#members.has(viewer) && this.#couldFollow(viewer, nowMs)
  }

  leave(viewer: Viewer): void {
    this.#members.delete(viewer)
  }

  /** Called with each change after the mirror has it. */
  follow(areas: readonly DamagedArea[], moves: readonly Move[]): void {
    const nowMs = performance.now()
    if (nowMs < this.#retryAtMs || !this.#hasAudience()) return
    this.#detector.add(areas, this.#mirror, nowMs)
    const filmed = this.#isOn ? (this.#next ?? this.#encoding)?.area : undefined
    const area = this.#detector.areaNow(filmed, nowMs)
    if (!area) {
      this.#pause()
      return
    }
    this.#isOn = true
    clearTimeout(this.#keeping)
    const known = this.#next ?? this.#encoding
    if (!known || (known.area !== area && !isSame(known.area, area)) || this.#isAwaited(nowMs))
      this.#begin(area, nowMs)
    const changed = [...areas, ...moves.map(move => move.area)]
    for (const camera of [this.#encoding, this.#next])
      if (camera && changed.some(each => overlap(each, camera.area))) {
        this.#movedAtMs = nowMs
        camera.encodeFrame()
      }
  }

  /** Stops the video if the motion has ended. */
  rest(): void {
    if (this.#isOn && performance.now() - this.#movedAtMs >= stillAfterMs) this.#pause()
  }

  close(): void {
    clearTimeout(this.#keeping)
    this.#isOn = false
    this.#encoding?.close()
    this.#next?.close()
    this.#encoding = this.#next = undefined
    this.#members.clear()
  }

  onUnit(camera: AreaEncoder, unit: AccessUnit): void {
    if (camera === this.#next) this.#switchTo(camera)
    this.#isFaultReported = false
    const drawing = { type: 'video', area: camera.area, ...unit } as const
    for (const viewer of unit.isKey ? this.#options.audience() : this.#members) {
      if (!viewer.sink.takesVideo || !viewer.isReady) continue
      if (!viewer.flowControl.isOpen) {
        this.#drop(viewer)
        continue
      }
      this.#members.add(viewer)
      viewer.send(drawing)
      for (const cell of this.#cells) {
        viewer.missing.delete(cell)
        viewer.rough.add(cell)
      }
    }
    this.#options.onShown()
  }

  /** Everybody gets images until the next attempt. A persistent error is reported once. */
  onFailure(_: AreaEncoder, error: Error): void {
    const nowMs = performance.now()
    this.#backoff.failed(nowMs - this.#begunAtMs)
    this.#retryAtMs = nowMs + this.#backoff.delayMs
    this.close()
    if (!this.#isFaultReported) this.#options.onFault(error)
    this.#isFaultReported = true
  }

  #begin(area: Area, nowMs: number): void {
    if (nowMs - this.#begunAtMs < minStreamMs) return
    this.#begunAtMs = nowMs
    this.#next?.close()
    this.#next = new AreaEncoder(this.#options.program, this.#mirror, area, this)
    this.#awaitedCells = new Set(this.#mirror.cells.under(area))
    this.#next.encodeFrame()
  }

  #switchTo(camera: AreaEncoder): void {
    this.#encoding?.close()
    this.#encoding = camera
    this.#next = undefined
    this.#cells = this.#awaitedCells
    this.#members.clear()
  }

  #drop(viewer: Viewer): void {
    this.#fellBehindAtMs.set(viewer, performance.now())
    if (this.#members.delete(viewer)) for (const cell of this.#cells) viewer.missing.add(cell)
  }

  #pause(): void {
    if (!this.#isOn) return
    this.#isOn = false
    this.#keeping = setTimeout(() => this.close(), keptForMs).unref()
  }

  #hasAudience(): boolean {
    return [...this.#options.audience()].some(viewer => viewer.sink.takesVideo)
  }

  /** Whether a viewer that could keep up is waiting for a stream. */
  #isAwaited(nowMs: number): boolean {
    if (this.#next || !this.#encoding) return false
    return [...this.#options.audience()].some(
      viewer => !this.#members.has(viewer) && viewer.flowControl.isOpen && this.#couldFollow(viewer, nowMs),
    )
  }

  #couldFollow(viewer: Viewer, nowMs: number): boolean {
    const fellAtMs = this.#fellBehindAtMs.get(viewer) ?? Number.NEGATIVE_INFINITY
    return viewer.sink.takesVideo && viewer.isReady && nowMs - fellAtMs > penaltyMs
  }
}

function isSame(a: Area, b: Area): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height
}
