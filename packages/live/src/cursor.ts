import { type CursorFrame, type Frame, parseCursor } from '@sandglass/wire/frames'
import type { Stage } from './stage.ts'

/** Browsers ignore larger images as a CSS cursor. */
const maxCssCursorSide = 128

type Shape = Extract<CursorFrame, { type: 'shape' }>

/**
 * Shows the machine's pointer. A viewer with control sees it as the browser's own pointer, without delay; everybody
 * else sees it drawn where the machine reports it.
 */
export class Cursor {
  readonly #stage: Stage
  #shape: Shape | undefined
  #position: { readonly x: number; readonly y: number } | undefined
  #inControl = false

  constructor(stage: Stage) {
    this.#stage = stage
    stage.onPlaced = () => this.show()
  }

  receive(raw: Frame): void {
    const frame = parseCursor(raw)
    if (frame.type === 'position') this.#position = frame
    else this.#setShape(frame)
    this.show()
  }

  setControl(inControl: boolean): void {
    this.#inControl = inControl
    this.show()
  }

  /** Records where this viewer moved the pointer. */
  moved(x: number, y: number): void {
    this.#position = { x, y }
  }

  show(): void {
    const { canvas, pointer } = this.#stage
    const isOwn = this.#inControl && this.#cssCursor !== undefined
    canvas.style.cursor = isOwn ? (this.#cssCursor ?? '') : this.#inControl ? 'none' : 'default'
    const isDrawnOver = !isOwn && this.#shape !== undefined && this.#position !== undefined
    pointer.style.display = isDrawnOver ? 'block' : 'none'
    if (this.#shape && this.#position)
      this.#stage.placeOver(pointer, this.#position.x - this.#shape.hotX, this.#position.y - this.#shape.hotY)
  }

  #cssCursor: string | undefined

  #setShape(frame: Exclude<CursorFrame, { type: 'position' }>): void {
    const { pointer } = this.#stage
    const isVisible = frame.type === 'shape' && frame.width > 0 && frame.height > 0
    this.#shape = isVisible ? frame : undefined
    this.#cssCursor = isVisible ? undefined : 'none'
    if (!isVisible) return
    const { width, height, hotX, hotY, rgba } = frame
    pointer.width = width
    pointer.height = height
    const image = new ImageData(new Uint8ClampedArray(rgba), width)
    pointer.getContext('2d')?.putImageData(image, 0, 0)
    if (Math.max(width, height) <= maxCssCursorSide)
      this.#cssCursor = `url(${pointer.toDataURL()}) ${hotX} ${hotY}, default`
  }
}
