import { encodePictureAnswer, type Frame, type PictureFrame, parsePicture } from '@sandglass/wire/frames'
import type { Screen } from './screen.ts'
import { Video } from './video.ts'

/** A frame of a video that has not come out of the decoder by then is given up, if another kind waits behind it. */
const decodingMs = 400

type Drawable = ImageBitmap | VideoFrame

interface Step {
  readonly frame: PictureFrame
  /** What is drawn, of frames that take time to decode. */
  readonly decoded?: Promise<Drawable | undefined>
}

interface Surroundings {
  send(bytes: Uint8Array): void
  onDrawn(): void
  /** A frame that was kept is none of its type; of one that is drawn at once, `receive` throws. */
  onBroken(error: unknown): void
}

/**
 * Draws the frames of the picture channel in their order, and acknowledges each. Decoding begins when a frame comes, so
 * that frames which take time do not wait for each other; tiles with nothing before them are drawn at once.
 */
export class Picture {
  readonly #screen: Screen
  readonly #surroundings: Surroundings
  readonly #video = new Video()
  readonly #steps: Step[] = []
  #isDrawing = false
  #isClosed = false
  /** A refresh was asked for and has not come. */
  #isRefreshing = false

  constructor(screen: Screen, surroundings: Surroundings) {
    this.#screen = screen
    this.#surroundings = surroundings
  }

  receive(raw: Frame): void {
    const frame = parsePicture(raw)
    if (frame.type === 'tiles' && !this.#isDrawing) {
      this.#drawTiles(frame)
      return
    }
    const decoded = this.#decode(frame)
    this.#steps.push({ frame, ...(decoded && { decoded }) })
    if (!this.#isDrawing) this.#drawAll().catch(this.#surroundings.onBroken)
  }

  close(): void {
    this.#isClosed = true
    this.#steps.length = 0
    this.#video.close()
  }

  #decode(frame: PictureFrame): Promise<Drawable | undefined> | undefined {
    if (frame.type === 'image') {
      const file = new Blob([new Uint8Array(frame.bytes)], { type: `image/${frame.format}` })
      return createImageBitmap(file).catch(() => undefined)
    }
    return frame.type === 'video' ? this.#video.decode(frame.sequence, frame.isKey, frame.bytes) : undefined
  }

  async #drawAll(): Promise<void> {
    this.#isDrawing = true
    for (let step = this.#steps.shift(); step; step = this.#steps.shift()) {
      if (step.frame.type === 'tiles') this.#drawTiles(step.frame)
      else await this.#drawDecoded(step.frame, step.decoded)
      if (this.#isClosed) return
    }
    this.#isDrawing = false
  }

  async #drawDecoded(
    { sequence, area }: Exclude<PictureFrame, { type: 'tiles' }>,
    decoded: Promise<Drawable | undefined> | undefined,
  ): Promise<void> {
    const drawable = await this.#inTime(decoded)
    if (drawable && !this.#isClosed) this.#screen.drawImage(drawable, area)
    drawable?.close()
    if (!drawable) this.#refresh()
    this.#drawn(sequence)
  }

  async #inTime(decoded: Promise<Drawable | undefined> | undefined): Promise<Drawable | undefined> {
    const late = Promise.withResolvers<undefined>()
    const timer = setInterval(
      () => this.#steps.some(({ decoded }) => !decoded) && late.resolve(undefined),
      decodingMs,
    )
    const first = await Promise.race([decoded, late.promise])
    clearInterval(timer)
    if (first === undefined) void decoded?.then(drawable => drawable?.close())
    return first
  }

  #drawTiles({ width, height, ops, sequence }: Extract<PictureFrame, { type: 'tiles' }>): void {
    this.#isRefreshing = false
    this.#screen.drawTiles(width, height, ops)
    this.#drawn(sequence)
  }

  #drawn(sequence: number): void {
    if (this.#isClosed) return
    this.#surroundings.send(encodePictureAnswer({ type: 'acknowledge', sequence }))
    this.#surroundings.onDrawn()
  }

  #refresh(): void {
    if (this.#isRefreshing || this.#isClosed) return
    this.#isRefreshing = true
    this.#surroundings.send(encodePictureAnswer({ type: 'refresh' }))
  }
}
