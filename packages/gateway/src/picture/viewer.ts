import { encodePicture } from '@sandglass/wire/frames'
import type { Drawing } from './drawing.ts'
import type { PictureSink } from './feed.ts'
import { FlowControl } from './flow-control.ts'
import { KnownPointer, type Pointer } from './pointer.ts'
import type { ScreenState } from './screen-state.ts'

/** The state of one viewer: what it has of the picture and what it misses. Bounded by the number of cells. */
export class Viewer {
  readonly sink: PictureSink
  readonly flowControl = new FlowControl()
  readonly pointer = new KnownPointer()
  /** The cells of which it does not have the latest state. */
  readonly missing = new Set<number>()
  /** The cells that it has only approximately. */
  readonly rough = new Set<number>()
  /** Something is being encoded for it that must be sent before anything else. */
  isAwaiting = false
  isClosed = false
  #state: ScreenState | undefined
  #isReady = false

  constructor(sink: PictureSink) {
    this.sink = sink
  }

  /** Starts with nothing of this screen. */
  begin(state: ScreenState): void {
    if (state !== this.#state) this.#isReady = false
    this.#state = state
    this.rough.clear()
    this.missing.clear()
    for (const cell of state.cells.all()) this.missing.add(cell)
  }

  get state(): ScreenState | undefined {
    return this.#state
  }

  /** Whether it knows the size of the screen and so can draw on it. */
  get isReady(): boolean {
    return this.#isReady
  }

  get canTake(): boolean {
    return !this.isAwaiting && this.flowControl.isOpen
  }

  send(drawing: Drawing): void {
    if (this.isClosed) return
    this.#getReady(drawing)
    const frame = encodePicture({ ...drawing, sequence: this.flowControl.nextSequence() })
    this.flowControl.sent(frame.length)
    this.sink.send(frame)
  }

  tellPointer(pointer: Pointer): void {
    if (this.isClosed) return
    const news = this.pointer.news(pointer)
    for (const frame of news) this.sink.send(frame)
    if (news.length > 0 && this.pointer.needsAnswer) this.#sendNothing()
  }

  /** Only tiles carry the size. */
  #getReady({ type }: Drawing): void {
    if (this.#isReady || !this.#state) return
    this.#isReady = true
    if (type !== 'tiles') this.#sendNothing()
  }

  /** Empty tiles carry the size and are acknowledged. */
  #sendNothing(): void {
    if (!this.#state) return
    const { width, height } = this.#state.mirror
    this.send({ type: 'tiles', width, height, ops: new Uint8Array() })
  }
}
