import {
  type CursorFrame,
  channel,
  FrameStream,
  type PictureFrame,
  PixelCanvas,
  parseCursor,
  parsePicture,
} from '@sandglass/wire/frames'
import type { PictureFeed, PictureSink } from '../feed.ts'
import type { Picture } from '../picture.ts'

/** Draws tiles as a page does, and acknowledges when the test says so. */
export class PaperViewer implements PictureSink {
  readonly takesVideo: boolean
  readonly frames: PictureFrame[] = []
  readonly cursors: CursorFrame[] = []
  readonly feed: PictureFeed
  readonly #acknowledgesItself: boolean
  readonly #stream = new FrameStream()
  canvas: PixelCanvas | undefined
  bytes = 0
  #unacknowledged = 0

  constructor(picture: Picture, { takesVideo = false, acknowledgesItself = true } = {}) {
    this.takesVideo = takesVideo
    this.#acknowledgesItself = acknowledgesItself
    this.feed = picture.attach(this)
  }

  send(bytes: Uint8Array): void {
    this.bytes += bytes.length
    for (const frame of this.#stream.receive(bytes)) {
      if (frame.channel === channel.cursor) this.cursors.push(parseCursor(frame))
      else this.#draw(parsePicture(frame))
    }
  }

  get lastSequence(): number {
    return this.frames.at(-1)?.sequence ?? 0
  }

  /** Acknowledges this many of what is not yet. */
  acknowledge(count = this.#unacknowledged): void {
    const upTo = this.lastSequence - this.#unacknowledged + count
    this.#unacknowledged -= count
    this.feed.acknowledge(upTo)
  }

  get unacknowledged(): number {
    return this.#unacknowledged
  }

  /** The pixels that it shows, a word each as on the screen. */
  get words(): Uint32Array {
    return new Uint32Array(this.canvas?.rgba.buffer ?? new ArrayBuffer(0))
  }

  #draw(frame: PictureFrame): void {
    this.frames.push(frame)
    this.#unacknowledged++
    if (frame.type === 'tiles') {
      const { width, height, ops } = frame
      if (this.canvas?.width !== width || this.canvas.height !== height)
        this.canvas = new PixelCanvas(width, height)
      this.canvas.apply(ops)
    }
    if (this.#acknowledgesItself) queueMicrotask(() => this.acknowledge())
  }
}
