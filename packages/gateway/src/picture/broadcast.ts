import type { Damage as Changed, Frame, Glimpse } from '@sandglass/machines/contract'
import type { Area } from '@sandglass/wire/frames'
import type { PictureCounters } from './counters.ts'
import { Damage } from './damage.ts'
import type { Encoded } from './drawing.ts'
import { encodeChange, encodeExactly } from './encode-change.ts'
import { EncodingCache } from './encoding-cache.ts'
import type { Move } from './moves.ts'
import { type Change, ScreenState } from './screen-state.ts'
import { VideoStream } from './video/video-stream.ts'
import type { Viewer } from './viewer.ts'

/** Cells that have not changed for this long are drawn exactly. */
const restMs = 250

/** A glimpsed change is reported within this time, if ever. */
const reportTimeoutMs = 80

/** Exact cells are sent in blocks with fixed borders, so that viewers who need them can share an encoding. */
const blockCells = 32

/** Max concurrent encodings for viewers that are behind; more would slow down the others. */
const maxConcurrentEncodings = 2

export interface BroadcastOptions {
  readonly ffmpeg: string
  readonly viewers: ReadonlySet<Viewer>
  readonly counters: PictureCounters
  readonly onFault: (error: unknown) => void
}

/**
 * Sends one screen, while it keeps its size, to all viewers. A change is encoded once for all viewers that are up to
 * date. Viewers that are behind get the cells that they miss, in their latest state, when they can receive them.
 */
export class Broadcast {
  readonly #state: ScreenState
  readonly #video: VideoStream
  readonly #options: BroadcastOptions
  readonly #encodingCache = new EncodingCache()
  #runningEncodings = 0
  #restTimer: NodeJS.Timeout | undefined
  #confirmTimer: NodeJS.Timeout | undefined
  /** Glimpsed areas that were not reported yet, oldest first, and when to compare them. */
  readonly #unconfirmed: { readonly area: Area; readonly dueAtMs: number }[] = []

  constructor(frame: Frame, options: BroadcastOptions) {
    this.#options = options
    this.#state = new ScreenState(frame)
    this.#video = new VideoStream(this.#state.mirror, {
      program: options.ffmpeg,
      audience: () => options.viewers,
      onShown: () => {
        options.counters.units++
        this.#scheduleRest()
      },
      onFault: error => {
        options.onFault(error)
        this.serve()
      },
    })
    for (const viewer of options.viewers) viewer.begin(this.#state)
  }

  hasSizeOf(frame: Frame): boolean {
    return this.#state.hasSizeOf(frame)
  }

  get hasNews(): boolean {
    return this.#state.hasNews
  }

  damaged(changed: readonly Changed[], now: Frame): void {
    this.#state.damaged(changed, now)
  }

  /** Starts a viewer that has nothing of this screen, or nothing useful. */
  welcome(viewer: Viewer): void {
    this.#video.leave(viewer)
    viewer.begin(this.#state)
  }

  leave(viewer: Viewer): void {
    this.#video.leave(viewer)
  }

  close(): void {
    clearTimeout(this.#restTimer)
    clearTimeout(this.#confirmTimer)
    this.#video.close()
  }

  /** Sends what is new, unless no viewer can receive it. Then it waits, at no cost. */
  advance(): void {
    const { viewers } = this.#options
    if (!viewers.values().some(viewer => viewer.canTake)) return
    this.#sendChange(this.#state.advance())
    this.serve()
  }

  /**
   * Sends a glimpsed change immediately, if all reported changes were sent already. A change that disappears again is
   * never reported, so glimpsed areas are compared once their report is overdue.
   */
  glimpse(glimpse: Glimpse): void {
    const { viewers } = this.#options
    if (this.hasNews || !this.#state.holds(glimpse.area)) return
    if (!viewers.values().some(viewer => viewer.canTake)) return
    this.#sendChange(this.#state.glimpse(glimpse))
    this.#unconfirmed.push({ area: glimpse.area, dueAtMs: performance.now() + reportTimeoutMs })
    this.#scheduleConfirm()
  }

  #scheduleConfirm(): void {
    const [next] = this.#unconfirmed
    if (this.#confirmTimer || !next) return
    this.#confirmTimer = setTimeout(
      () => this.#compareUnconfirmed(),
      next.dueAtMs - performance.now(),
    ).unref()
  }

  #compareUnconfirmed(): void {
    this.#confirmTimer = undefined
    const nowMs = performance.now()
    // Timers may fire a fraction of a millisecond early.
    const due = this.#unconfirmed.filter(({ dueAtMs }) => dueAtMs < nowMs + 1)
    this.#unconfirmed.splice(0, due.length)
    this.#state.suspect(due.map(({ area }) => area))
    this.advance()
    this.#scheduleConfirm()
  }

  /**
   * Sends viewers that are behind the cells that they miss, and viewers that are up to date the exact picture of
   * cells at rest.
   */
  serve(): void {
    const behind = [...this.#options.viewers].filter(viewer => viewer.canTake && !this.#isCurrent(viewer))
    for (const [, group] of Map.groupBy(behind, viewer => `${this.#missingCellsOf(viewer)}`)) {
      if (this.#runningEncodings >= maxConcurrentEncodings) return
      this.#catchUp(group)
    }
    for (const viewer of this.#options.viewers) this.#sharpen(viewer)
    this.#scheduleRest()
  }

  #sendChange({ moves, areas, cells }: Change): void {
    if (cells.size === 0) return
    this.#video.follow(areas, moves)
    this.#encodingCache.forget(cells)
    const current: Viewer[] = []
    for (const viewer of this.#options.viewers)
      if (viewer.canTake && this.#isCurrent(viewer)) current.push(viewer)
      else for (const cell of cells) viewer.missing.add(cell)
    for (const viewer of current) this.#spreadRoughness(viewer, moves)
    // Viewers that get a part of it as video, now or soon, are sent only the rest.
    const video = this.#video
    for (const [, group] of Map.groupBy(
      current,
      viewer => `${video.has(viewer)} ${video.isAwaitedBy(viewer)}`,
    ))
      if (moves.some(move => this.#isOutOfReach(move, group)))
        this.#sendChangeTo(group, [], this.#withoutMoves(moves, areas))
      else this.#sendChangeTo(group, moves, areas)
  }

  /**
   * Whether a move has a source or target that some of these viewers do not have, or have only as video, which is
   * shown a little later.
   */
  #isOutOfReach({ area, from }: Move, group: readonly Viewer[]): boolean {
    const isLacked = (cell: number) =>
      group.some(viewer => viewer.missing.has(cell) || this.#video.brings(cell, viewer))
    return [area, { ...area, ...from }].some(each => this.#state.cells.under(each).some(isLacked))
  }

  /** Merges the moved areas and the other changes, one area per cell. */
  #withoutMoves(moves: readonly Move[], areas: readonly Area[]): readonly Area[] {
    const all = new Damage(this.#state.cells)
    for (const area of [...moves.map(move => move.area), ...areas]) all.add(area, 0)
    return all.take()
  }

  #sendChangeTo(group: readonly Viewer[], moves: readonly Move[], areas: readonly Area[]): void {
    const { mirror, cells } = this.#state
    const sent: Area[] = []
    for (const area of areas) {
      const [cell = 0] = cells.under(area)
      const others = group.filter(viewer => !this.#isFilmed(cell, viewer))
      if (others.length === group.length) sent.push(area)
      // Some viewers may just have stopped waiting for the video.
      else for (const { missing } of others) missing.add(cell)
    }
    if (sent.length + moves.length > 0)
      this.#deliver(
        group,
        this.#encoded(() => encodeChange(mirror, moves, sent)),
      )
  }

  /** Records that a viewer has this cell as video, or will have. */
  #isFilmed(cell: number, viewer: Viewer): boolean {
    if (this.#video.shows(cell, viewer)) viewer.rough.add(cell)
    else if (this.#video.awaits(cell, viewer)) viewer.missing.add(cell)
    else return false
    return true
  }

  /** Whether the viewer misses nothing except what the video shows. */
  #isCurrent(viewer: Viewer): boolean {
    return viewer.missing.values().every(cell => this.#video.brings(cell, viewer))
  }

  #missingCellsOf(viewer: Viewer): number[] {
    return sorted(viewer.missing.values().filter(cell => !this.#video.brings(cell, viewer)))
  }

  /** A copy of approximate cells is approximate as well. */
  #spreadRoughness({ rough }: Viewer, moves: readonly Move[]): void {
    if (rough.size === 0) return
    for (const { area, from } of moves) {
      const source = this.#state.cells.under({ ...area, ...from })
      if (source.some(cell => rough.has(cell)))
        for (const cell of this.#state.cells.under(area)) rough.add(cell)
    }
  }

  #catchUp(group: readonly Viewer[]): void {
    const cells = group[0] ? this.#missingCellsOf(group[0]) : []
    const { mirror } = this.#state
    const areas = () => cells.map(cell => mirror.cells.areaOf(cell))
    const encoded = this.#encodingCache.get('first', cells, () =>
      this.#encoded(() => encodeChange(mirror, [], areas())),
    )
    for (const { missing, rough } of group)
      for (const cell of cells) {
        missing.delete(cell)
        rough.delete(cell)
      }
    this.#deliver(group, encoded)
  }

  /** Sends exact cells only while the viewer's link is idle. */
  #sharpen(viewer: Viewer): void {
    if (viewer.rough.size === 0 || !viewer.canTake || !viewer.flowControl.isIdle || !this.#isCurrent(viewer))
      return
    const rested = sorted(viewer.rough).filter(cell => this.#hasRested(cell, viewer))
    const block = Math.floor((rested[0] ?? 0) / blockCells)
    const cells = rested.filter(cell => Math.floor(cell / blockCells) === block)
    if (cells.length === 0) return
    const { mirror } = this.#state
    const encoded = this.#encodingCache.get('exact', cells, () =>
      this.#encoded(() => encodeExactly(mirror, cells)),
    )
    for (const cell of cells) viewer.rough.delete(cell)
    this.#deliver([viewer], encoded)
  }

  #hasRested(cell: number, viewer: Viewer): boolean {
    return this.#state.restedForMs(cell) >= restMs && !this.#video.shows(cell, viewer)
  }

  #encoded(encode: () => Encoded): Encoded {
    this.#options.counters.encodings++
    return encode()
  }

  #deliver(viewers: readonly Viewer[], { now, later, rough }: Encoded): void {
    for (const viewer of viewers) {
      for (const drawing of now) viewer.send(drawing)
      for (const cell of rough) viewer.rough.add(cell)
      viewer.isAwaiting = later !== undefined
    }
    if (later) void this.#deliverLater(viewers, later)
    if (rough.length > 0) this.#scheduleRest()
  }

  async #deliverLater(viewers: readonly Viewer[], later: NonNullable<Encoded['later']>): Promise<void> {
    this.#runningEncodings++
    try {
      const drawings = await later
      for (const viewer of viewers)
        for (const drawing of drawings) if (viewer.state === this.#state) viewer.send(drawing)
    } catch (error) {
      this.#options.onFault(error)
    } finally {
      this.#runningEncodings--
      for (const viewer of viewers) viewer.isAwaiting = false
    }
    if (this.hasNews) this.advance()
    else this.serve()
  }

  /** Schedules one check, while any viewer has approximate cells that still change or waits for the video. */
  #scheduleRest(): void {
    if (this.#restTimer || !this.#options.viewers.values().some(viewer => this.#isUnrested(viewer))) return
    this.#restTimer = setTimeout(() => this.#onRest(), restMs).unref()
  }

  #isUnrested(viewer: Viewer): boolean {
    return (
      viewer.rough.values().some(cell => !this.#hasRested(cell, viewer)) ||
      (viewer.missing.size > 0 && this.#video.isAwaitedBy(viewer))
    )
  }

  #onRest(): void {
    this.#restTimer = undefined
    this.#video.rest()
    this.serve()
  }
}

function sorted(cells: Iterable<number>): number[] {
  return [...cells].sort((a, b) => a - b)
}
