import { encodePicture } from '@sandglass/wire/frames'
import type { Drawing } from './drawing.ts'
import type { PictureSink } from './feed.ts'
import { Flow } from './flow.ts'
import { KnownPointer, type Pointer } from './pointer.ts'
import type { Scene } from './scene.ts'

/** What one viewer has of the picture, and what it lacks. Bounded by the number of cells, whatever it does. */
export class Viewer {
  readonly sink: PictureSink
  readonly flow = new Flow()
  readonly pointer = new KnownPointer()
  /** The cells that it has not as they are now. */
  readonly missing = new Set<number>()
  /** The cells that it has only nearly as they are. */
  readonly rough = new Set<number>()
  /** Something is being encoded for it, which must be sent before anything else. */
  isAwaiting = false
  isClosed = false
  #scene: Scene | undefined
  #isReady = false

  constructor(sink: PictureSink) {
    this.sink = sink
  }

  /** Begins with nothing of this screen. */
  begin(scene: Scene): void {
    if (scene !== this.#scene) this.#isReady = false
    this.#scene = scene
    this.rough.clear()
    this.missing.clear()
    for (const cell of scene.cells.all()) this.missing.add(cell)
  }

  get scene(): Scene | undefined {
    return this.#scene
  }

  /** Whether it knows the size of the screen, and so can draw on it. */
  get isReady(): boolean {
    return this.#isReady
  }

  get canTake(): boolean {
    return !this.isAwaiting && this.flow.isOpen
  }

  send(drawing: Drawing): void {
    if (this.isClosed) return
    this.#getReady(drawing)
    const frame = encodePicture({ ...drawing, sequence: this.flow.nextSequence() })
    this.flow.sent(frame.length)
    this.sink.send(frame)
  }

  tellPointer(pointer: Pointer): void {
    if (this.isClosed) return
    const news = this.pointer.news(pointer)
    for (const frame of news) this.sink.send(frame)
    if (news.length > 0 && this.pointer.needsAnswer) this.#sendNothing()
  }

  /** Only tiles tell the size. */
  #getReady({ type }: Drawing): void {
    if (this.#isReady || !this.#scene) return
    this.#isReady = true
    if (type !== 'tiles') this.#sendNothing()
  }

  /** Tiles that change nothing tell the size, and are acknowledged. */
  #sendNothing(): void {
    if (!this.#scene) return
    const { width, height } = this.#scene.mirror
    this.send({ type: 'tiles', width, height, ops: new Uint8Array() })
  }
}
