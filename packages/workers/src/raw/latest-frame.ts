import type { Frame, Look, Rect, Screen } from '@sandglass/machines/contract'
import type { CaptureChoice } from '../contract/index.ts'
import type { RawFile } from './raw-file.ts'
import { type Place, placesOf, type RawFrame, slotBytes, stripRows } from './raw-frame.ts'

/** After this long without a look, its memory is released, as that of the screen is. */
const idleMs = 60_000

type PointerImage = NonNullable<Frame['pointer']['image']>

/**
 * The latest frame of a screen, in memory and in the file of raw frames. The next one copies and writes only the strips that
 * have changed.
 */
export class LatestFrame {
  readonly #screen: Pick<Screen, 'look'>
  readonly #file: RawFile
  #memory: Uint8Array<ArrayBuffer> | undefined
  #width = 0
  /** Undefined where the file does not have the current content. */
  #strips: (Place | undefined)[] = []
  #pointer: { readonly image: PointerImage; readonly places: readonly Place[] } | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined
  readonly #stopReclaiming: () => void

  constructor(screen: Pick<Screen, 'look'>, file: RawFile) {
    this.#screen = screen
    this.#file = file
    this.#stopReclaiming = file.onReclaim(() => this.#releasePlaces())
  }

  /**
   * Looks at the screen and passes the look on. Looks take turns, since they share the memory: it must not be used after the
   * work has ended.
   */
  look<T>(work: (look: Look) => Promise<T>): Promise<T> {
    const turn = this.#turn.then(async () => {
      clearTimeout(this.#idle)
      try {
        return await work(this.#noted(await this.#screen.look(this.#memory)))
      } finally {
        this.#idle = setTimeout(() => this.#forget(), idleMs).unref()
      }
    })
    this.#turn = turn.catch(() => {})
    return turn
  }

  /**
   * Writes what the file does not have of the frame of the current look. Returns undefined if there is no space. The frame
   * holds its places until they are released.
   */
  async write(frame: Frame, choice: CaptureChoice): Promise<RawFrame | undefined> {
    const rows = stripRows(frame.width)
    if (!rows) return undefined
    const written = await this.#tryToWrite(frame, choice, rows)
    if (written) return written
    this.#file.reclaim()
    return this.#tryToWrite(frame, choice, rows)
  }

  async #tryToWrite(
    { width, height, pixels, pointer }: Frame,
    { format, longestSide, pointer: draws }: CaptureChoice,
    rows: number,
  ): Promise<RawFrame | undefined> {
    const missing = this.#strips.flatMap((place, strip) => (place === undefined ? [strip] : []))
    const image = draws && pointer.image?.rgba.length ? pointer.image : undefined
    const isNewImage = image !== undefined && this.#pointer?.image !== image
    const imageSlots = isNewImage ? Math.ceil(image.rgba.length / slotBytes) : 0
    const places = this.#file.reserve(missing.length + imageSlots)
    if (!places) return undefined
    const ofImage = places.splice(missing.length)
    for (const [index, strip] of missing.entries()) this.#strips[strip] = places[index]
    if (isNewImage) {
      this.#file.release(this.#pointer?.places ?? [])
      this.#pointer = { image, places: ofImage }
    }
    const raw: RawFrame = {
      width,
      height,
      strips: this.#strips.filter(place => place !== undefined),
      ...(image && { pointer: pointerOf(pointer, image, this.#pointer?.places ?? []) }),
      format,
      ...(longestSide !== undefined && { longestSide }),
    }
    this.#file.use(placesOf(raw))
    const stripBytes = rows * width * 4
    const writes = places.map((place, index) => {
      const start = (missing[index] ?? 0) * stripBytes
      return this.#file.write([place], pixels.subarray(start, start + stripBytes))
    })
    if (isNewImage) writes.push(this.#file.write(ofImage, image.rgba))
    const outcomes = await Promise.allSettled(writes)
    if (outcomes.every(({ status }) => status === 'fulfilled')) return raw
    // The disk is full or failing. Nothing that was written lately is relied on.
    this.#file.release(placesOf(raw))
    this.#releasePlaces()
    return undefined
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#stopReclaiming()
    this.#forget()
  }

  #noted({ frame, changed }: Look): Look {
    const { width, height, pixels } = frame
    const rows = stripRows(width) ?? height
    const strips = Math.ceil(height / rows)
    if (!this.#memory || this.#width !== width || this.#strips.length !== strips) {
      this.#releasePlaces()
      this.#strips = Array.from({ length: strips }, () => undefined)
    }
    this.#memory = pixels
    this.#width = width
    for (const rect of changed) this.#change(rect, rows)
    return { frame, changed }
  }

  #change({ y, height }: Rect, rows: number): void {
    const end = Math.min(this.#strips.length, Math.ceil((y + height) / rows))
    for (let strip = Math.max(0, Math.floor(y / rows)); strip < end; strip++) {
      const place = this.#strips[strip]
      if (place !== undefined) this.#file.release([place])
      this.#strips[strip] = undefined
    }
  }

  #forget(): void {
    this.#memory = undefined
    this.#releasePlaces()
  }

  #releasePlaces(): void {
    this.#file.release(this.#strips.filter(place => place !== undefined))
    this.#strips = this.#strips.map(() => undefined)
    this.#file.release(this.#pointer?.places ?? [])
    this.#pointer = undefined
  }
}

function pointerOf(
  { x, y }: Frame['pointer'],
  { width, height, hotspot }: PointerImage,
  image: readonly Place[],
): NonNullable<RawFrame['pointer']> {
  return { x, y, width, height, hotspot: { x: hotspot.x, y: hotspot.y }, image: [...image] }
}
