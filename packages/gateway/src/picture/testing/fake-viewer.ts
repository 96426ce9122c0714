import {
  type Area,
  type CursorFrame,
  channel,
  FrameStream,
  type PictureFrame,
  PixelCanvas,
  parseCursor,
  parsePicture,
} from '@sandglass/wire/frames'
import sharp from 'sharp'
import type { RoomPicture } from '../../session/session.ts'
import type { PictureFeed, PictureSink } from '../feed.ts'

export interface FakeViewerOptions {
  readonly takesVideo?: boolean
  /** Otherwise it acknowledges only when told to. */
  readonly acknowledgesItself?: boolean
}

/** Draws one frame after the other, as a page does. It records video frames for the test without drawing them. */
export class FakeViewer implements PictureSink {
  readonly takesVideo: boolean
  readonly frames: PictureFrame[] = []
  readonly cursors: CursorFrame[] = []
  readonly feed: PictureFeed
  readonly #acknowledgesItself: boolean
  readonly #stream = new FrameStream()
  canvas: PixelCanvas | undefined
  bytes = 0
  #drawing: Promise<void> = Promise.resolve()
  #drawn = 0
  #acknowledged = 0

  constructor(
    picture: Pick<RoomPicture, 'attach'>,
    { takesVideo = false, acknowledgesItself = true }: FakeViewerOptions = {},
  ) {
    this.takesVideo = takesVideo
    this.#acknowledgesItself = acknowledgesItself
    this.feed = picture.attach(this)
  }

  send(bytes: Uint8Array): void {
    this.bytes += bytes.length
    for (const frame of this.#stream.receive(bytes)) {
      if (frame.channel === channel.cursor) this.cursors.push(parseCursor(frame))
      else this.#take(parsePicture(frame))
    }
  }

  /** Acknowledges up to this many of the drawn frames. */
  acknowledge(count = Number.POSITIVE_INFINITY): void {
    const upTo = Math.min(this.#drawn, this.#acknowledged + count)
    if (upTo === this.#acknowledged) return
    this.#acknowledged = upTo
    this.feed.acknowledge(upTo)
  }

  get unacknowledged(): number {
    return this.frames.length - this.#acknowledged
  }

  /** The pixels that it shows, one word each as on a screen. */
  get words(): Uint32Array {
    return new Uint32Array(this.canvas?.rgba.buffer ?? new ArrayBuffer(0))
  }

  /** Frames without an image are drawn immediately, unless another frame is before them. */
  #take(frame: PictureFrame): void {
    this.frames.push(frame)
    this.#drawing = this.#drawing.then(() => this.#draw(frame))
  }

  async #draw(frame: PictureFrame): Promise<void> {
    if (frame.type === 'tiles') this.#drawTiles(frame)
    else if (frame.type === 'image') await this.#drawImage(frame)
    this.#drawn = frame.sequence
    if (this.#acknowledgesItself) this.acknowledge()
  }

  #drawTiles({ width, height, ops }: Extract<PictureFrame, { type: 'tiles' }>): void {
    if (this.canvas?.width !== width || this.canvas.height !== height)
      this.canvas = new PixelCanvas(width, height)
    this.canvas.apply(ops)
  }

  async #drawImage({ area, bytes }: { area: Area; bytes: Uint8Array }): Promise<void> {
    const pixels = await sharp(bytes).removeAlpha().raw().toBuffer()
    this.canvas?.draw({ op: 'rgb', area, pixels })
  }
}
