import {
  type Area,
  encodePictureAnswer,
  type Frame,
  overlap,
  type PictureFrame,
  parsePicture,
  parseTiles,
  type TileOp,
} from '@sandglass/wire/frames'
import { touchedBy } from './areas.ts'
import type { Screen } from './screen.ts'
import { Video } from './video.ts'

/** A frame of a video that has not come out of the decoder by then is given up, if another kind waits behind it. */
const decodingMs = 400

type Drawable = ImageBitmap | VideoFrame
type TilesFrame = Extract<PictureFrame, { type: 'tiles' }>
type CodedFrame = Exclude<PictureFrame, TilesFrame>

/** A frame that is not acknowledged yet. */
interface Step {
  readonly sequence: number
  /** Where it still has something to do. */
  readonly touches: readonly Area[]
  /** Does that; nothing is left of a frame that was drawn before its turn. */
  readonly draw?: () => void | Promise<void>
  readonly isCoded: boolean
}

interface Surroundings {
  send(bytes: Uint8Array): void
  onDrawn(): void
  /** A frame that was kept is none of its type; of one that is drawn at once, `receive` throws. */
  onBroken(error: unknown): void
}

/**
 * Draws the frames of the picture channel as if each came after the one before, and acknowledges them in their order. Decoding
 * begins when a frame comes, so that frames which take time do not wait for each other; tiles are drawn at once unless
 * they meet what is still to be drawn, so that a key beside a film does not wait for the film.
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
    if (frame.type === 'tiles') this.#takeTiles(frame)
    else this.#takeCoded(frame)
    if (!this.#isDrawing && this.#steps.length > 0) this.#drawAll().catch(this.#surroundings.onBroken)
  }

  close(): void {
    this.#isClosed = true
    this.#steps.length = 0
    this.#video.close()
  }

  #takeTiles(frame: TilesFrame): void {
    const { sequence } = frame
    const tiles = [...parseTiles(frame.ops)]
    const touches = touchedBy(tiles)
    if (this.#steps.length > 0 && this.#mustWait(frame, touches)) {
      this.#steps.push({ sequence, touches, draw: () => this.#drawTiles(frame, tiles), isCoded: false })
      return
    }
    this.#drawTiles(frame, tiles)
    if (this.#steps.length > 0) this.#steps.push({ sequence, touches: [], isCoded: false })
    else this.#drawn(sequence)
  }

  #mustWait({ width, height }: TilesFrame, touches: readonly Area[]): boolean {
    if (width !== this.#screen.width || height !== this.#screen.height) return true
    return this.#steps.some(step => step.touches.some(one => touches.some(area => overlap(one, area))))
  }

  #takeCoded(frame: CodedFrame): void {
    const { sequence, area } = frame
    const decoded = this.#decode(frame)
    const draw = () => this.#drawDecoded(area, decoded)
    this.#steps.push({ sequence, touches: [area], draw, isCoded: true })
  }

  #decode(frame: CodedFrame): Promise<Drawable | undefined> {
    if (frame.type === 'video') return this.#video.decode(frame.sequence, frame.isKey, frame.bytes)
    const file = new Blob([new Uint8Array(frame.bytes)], { type: `image/${frame.format}` })
    return createImageBitmap(file).catch(() => undefined)
  }

  async #drawAll(): Promise<void> {
    this.#isDrawing = true
    for (let step = this.#steps[0]; step; step = this.#steps[0]) {
      await step.draw?.()
      if (this.#isClosed) return
      this.#steps.shift()
      this.#drawn(step.sequence)
    }
    this.#isDrawing = false
  }

  async #drawDecoded(area: Area, decoded: Promise<Drawable | undefined>): Promise<void> {
    const drawable = await this.#inTime(decoded)
    if (drawable && !this.#isClosed) this.#screen.drawImage(drawable, area)
    drawable?.close()
    if (!drawable) this.#refresh()
  }

  async #inTime(decoded: Promise<Drawable | undefined>): Promise<Drawable | undefined> {
    const late = Promise.withResolvers<undefined>()
    const timer = setInterval(
      () => this.#steps.some(({ isCoded }) => !isCoded) && late.resolve(undefined),
      decodingMs,
    )
    const first = await Promise.race([decoded, late.promise])
    clearInterval(timer)
    if (first === undefined) void decoded.then(drawable => drawable?.close())
    return first
  }

  #drawTiles({ width, height }: TilesFrame, tiles: readonly TileOp[]): void {
    this.#isRefreshing = false
    this.#screen.drawTiles(width, height, tiles)
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
