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

/** What has not changed for so long is drawn exactly. */
const restMs = 250

/** What is seen before it is heard of is heard of within this time, if ever. */
const reportTimeoutMs = 80

/** What is drawn exactly at once, as cells with numbers of one block, so that all who need it need the same. */
const blockCells = 32

/** So many encodings for those who are behind may take their time at once; more would take it from others. */
const maxConcurrentEncodings = 2

export interface BroadcastOptions {
  readonly ffmpeg: string
  readonly viewers: ReadonlySet<Viewer>
  readonly counters: PictureCounters
  readonly onFault: (error: unknown) => void
}

/**
 * One screen, as long as it keeps its size, shown to all. What changes is encoded once and sent to everybody who has
 * all before it; whoever is behind is sent the cells that it lacks, as they are when it can take them.
 */
export class Broadcast {
  readonly #state: ScreenState
  readonly #video: VideoStream
  readonly #options: BroadcastOptions
  readonly #encodingCache = new EncodingCache()
  #runningEncodings = 0
  #restTimer: NodeJS.Timeout | undefined
  #confirmTimer: NodeJS.Timeout | undefined
  /** What was told before it was heard of, the earliest first, and when it is compared. */
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

  /** The viewer has nothing of it, or nothing of use. */
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

  /** Tells what is new, unless nobody can take it: then it waits, and costs nothing. */
  advance(): void {
    const { viewers } = this.#options
    if (!viewers.values().some(viewer => viewer.canTake)) return
    this.#sendChange(this.#state.advance())
    this.serve()
  }

  /**
   * Tells at once what is seen already, on a screen of which all that was heard is told. What was drawn for a moment alone
   * is never heard of, so that all of it is compared when it must have been.
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
    // A timer may be up a fraction of a millisecond before its time.
    const due = this.#unconfirmed.filter(({ dueAtMs }) => dueAtMs < nowMs + 1)
    this.#unconfirmed.splice(0, due.length)
    this.#state.suspect(due.map(({ area }) => area))
    this.advance()
    this.#scheduleConfirm()
  }

  /** Sends those who are behind what they lack, and those who have all of it the exact picture of what rests. */
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
    // Those who see a part of it by the film, or are about to, are sent the rest alone.
    const video = this.#video
    for (const [, group] of Map.groupBy(
      current,
      viewer => `${video.has(viewer)} ${video.isAwaitedBy(viewer)}`,
    ))
      if (moves.some(move => this.#isOutOfReach(move, group)))
        this.#sendChangeTo(group, [], this.#withoutMoves(moves, areas))
      else this.#sendChangeTo(group, moves, areas)
  }

  /** Whether it moves what some of these do not have, or have by the film, which shows it a little later. */
  #isOutOfReach({ area, from }: Move, group: readonly Viewer[]): boolean {
    const isLacked = (cell: number) =>
      group.some(viewer => viewer.missing.has(cell) || this.#video.brings(cell, viewer))
    return [area, { ...area, ...from }].some(each => this.#state.cells.under(each).some(isLacked))
  }

  /** What was moved as well as what else changed, as one area in a cell. */
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
      // The wait of some may have ended just now.
      else for (const { missing } of others) missing.add(cell)
    }
    if (sent.length + moves.length > 0)
      this.#deliver(
        group,
        this.#encoded(() => encodeChange(mirror, moves, sent)),
      )
  }

  /** Takes note that a viewer has this cell by the film, or will have. */
  #isFilmed(cell: number, viewer: Viewer): boolean {
    if (this.#video.shows(cell, viewer)) viewer.rough.add(cell)
    else if (this.#video.awaits(cell, viewer)) viewer.missing.add(cell)
    else return false
    return true
  }

  /** Whether it lacks nothing but what the film brings. */
  #isCurrent(viewer: Viewer): boolean {
    return viewer.missing.values().every(cell => this.#video.brings(cell, viewer))
  }

  #missingCellsOf(viewer: Viewer): number[] {
    return sorted(viewer.missing.values().filter(cell => !this.#video.brings(cell, viewer)))
  }

  /** What is moved from where the viewer has it only nearly is so as well where it goes. */
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

  /** Only while its link has nothing else to do. */
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

  /** One look after a while, as long as anybody has what is not exact and still changes, or waits for the film. */
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
