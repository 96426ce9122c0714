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
import { areasTouchedBy } from './areas.ts'
import type { Screen } from './screen.ts'
import { Video } from './video.ts'

/** A video frame that the decoder has not returned by then is skipped if tiles are waiting behind it. */
const decodeTimeoutMs = 400

type Drawable = ImageBitmap | VideoFrame
type TilesFrame = Extract<PictureFrame, { type: 'tiles' }>
type CodedFrame = Exclude<PictureFrame, TilesFrame>

/** A frame that has not been acknowledged yet. */
interface Step {
  readonly sequence: number
  /** The areas that it still has to draw or read. */
  readonly touches: readonly Area[]
  /** Draws the frame; left out if it was drawn before its turn. */
  readonly draw?: () => void | Promise<void>
  readonly isCoded: boolean
}

interface PictureCallbacks {
  send(bytes: Uint8Array): void
  onDrawn(): void
  /** Called if a queued frame is malformed. For a frame that is drawn at once, `receive` throws instead. */
  onBroken(error: unknown): void
}

/**
 * Draws the frames of the picture channel in order and acknowledges them in that order. Decoding starts when a frame
 * arrives, so that slow frames do not wait for each other. Tiles that do not overlap a pending frame are drawn at once,
 * so that typing next to a playing video is not delayed by it.
 */
export class Picture {
  readonly #screen: Screen
  readonly #callbacks: PictureCallbacks
  readonly #video = new Video()
  readonly #steps: Step[] = []
  #isDrawing = false
  #isClosed = false
  /** A refresh was requested and has not arrived. */
  #isRefreshing = false

  constructor(screen: Screen, callbacks: PictureCallbacks) {
    this.#screen = screen
    this.#callbacks = callbacks
  }

  receive(raw: Frame): void {
    const frame = parsePicture(raw)
    if (frame.type === 'tiles') this.#receiveTiles(frame)
    else this.#receiveCoded(frame)
    if (!this.#isDrawing && this.#steps.length > 0) this.#drawAll().catch(this.#callbacks.onBroken)
  }

  close(): void {
    this.#isClosed = true
    this.#steps.length = 0
    this.#video.close()
  }

  #receiveTiles(frame: TilesFrame): void {
    const { sequence } = frame
    const tiles = [...parseTiles(frame.ops)]
    const touches = areasTouchedBy(tiles)
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

  #receiveCoded(frame: CodedFrame): void {
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
    const drawable = await this.#withTimeout(decoded)
    if (drawable && !this.#isClosed) this.#screen.drawImage(drawable, area)
    drawable?.close()
    if (!drawable) this.#refresh()
  }

  async #withTimeout(decoded: Promise<Drawable | undefined>): Promise<Drawable | undefined> {
    const timeout = Promise.withResolvers<undefined>()
    const timer = setInterval(
      () => this.#steps.some(({ isCoded }) => !isCoded) && timeout.resolve(undefined),
      decodeTimeoutMs,
    )
    const first = await Promise.race([decoded, timeout.promise])
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
    this.#callbacks.send(encodePictureAnswer({ type: 'acknowledge', sequence }))
    this.#callbacks.onDrawn()
  }

  #refresh(): void {
    if (this.#isRefreshing || this.#isClosed) return
    this.#isRefreshing = true
    this.#callbacks.send(encodePictureAnswer({ type: 'refresh' }))
  }
}
