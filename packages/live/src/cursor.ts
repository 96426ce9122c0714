import { type CursorFrame, type Frame, parseCursor } from '@sandglass/wire/frames'
import type { Stage } from './stage.ts'

/** Browsers take no larger pictures as the pointer. */
const longestSide = 128

type Shape = Extract<CursorFrame, { type: 'shape' }>

/**
 * The pointer of the machine. Who has the control sees it as the pointer of the own mouse, without delay; who looks on sees
 * it drawn where the machine says it is.
 */
export class Cursor {
  readonly #stage: Stage
  #shape: Shape | undefined
  #place: { readonly x: number; readonly y: number } | undefined
  #inControl = false

  constructor(stage: Stage) {
    this.#stage = stage
  }

  receive(raw: Frame): void {
    const frame = parseCursor(raw)
    if (frame.type === 'position') this.#place = frame
    else this.#takeShape(frame)
    this.show()
  }

  setControl(inControl: boolean): void {
    this.#inControl = inControl
    this.show()
  }

  /** Where the pointer was put by this viewer. */
  moved(x: number, y: number): void {
    this.#place = { x, y }
  }

  show(): void {
    const { canvas, pointer } = this.#stage
    const isOwn = this.#inControl && this.#asCss !== undefined
    canvas.style.cursor = isOwn ? (this.#asCss ?? '') : this.#inControl ? 'none' : 'default'
    const isLaid = !isOwn && this.#shape !== undefined && this.#place !== undefined
    pointer.style.display = isLaid ? 'block' : 'none'
    if (this.#shape && this.#place)
      this.#stage.lay(pointer, this.#place.x - this.#shape.hotX, this.#place.y - this.#shape.hotY)
  }

  #asCss: string | undefined

  #takeShape(frame: Exclude<CursorFrame, { type: 'position' }>): void {
    const { pointer } = this.#stage
    const isDrawn = frame.type === 'shape' && frame.width > 0 && frame.height > 0
    this.#shape = isDrawn ? frame : undefined
    this.#asCss = isDrawn ? undefined : 'none'
    if (!isDrawn) return
    const { width, height, hotX, hotY, rgba } = frame
    pointer.width = width
    pointer.height = height
    const image = new ImageData(new Uint8ClampedArray(rgba), width)
    pointer.getContext('2d')?.putImageData(image, 0, 0)
    if (Math.max(width, height) <= longestSide)
      this.#asCss = `url(${pointer.toDataURL()}) ${hotX} ${hotY}, default`
  }
}
