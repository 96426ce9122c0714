import type { Framebuffer } from '../framebuffer.ts'
import type { Rect } from '../rect.ts'
import { RfbError } from '../rfb-error.ts'

const tileSide = 64

/** A part of the framebuffer. Its pixels are numbered row by row from 0. */
export class Tile {
  readonly width: number
  readonly height: number
  readonly #words: Uint32Array
  readonly #start: number
  readonly #stride: number

  constructor({ x, y, width, height }: Rect, framebuffer: Framebuffer) {
    this.width = width
    this.height = height
    this.#words = framebuffer.words
    this.#stride = framebuffer.width
    this.#start = y * this.#stride + x
  }

  get pixelCount(): number {
    return this.width * this.height
  }

  /** A writable view of a row. */
  row(y: number): Uint32Array {
    const start = this.#start + y * this.#stride
    return this.#words.subarray(start, start + this.width)
  }

  /** Fills a run of pixels with one colour, continuing on the rows below. */
  fill(from: number, count: number, colour: number): void {
    if (from + count > this.pixelCount)
      throw new RfbError(
        'MALFORMED',
        `a run ends at pixel ${from + count} of a tile that has ${this.pixelCount}`,
      )
    let x = from % this.width
    let row = this.#start + ((from / this.width) | 0) * this.#stride
    for (let left = count; left > 0; x = 0, row += this.#stride) {
      const end = Math.min(x + left, this.width)
      left -= end - x
      for (let at = row + x; at < row + end; at++) this.#words[at] = colour
    }
  }
}

/** The tiles of a rectangle from left to right and top to bottom. Tiles at the right and lower edges may be smaller. */
export function* tilesOf(rect: Rect, framebuffer: Framebuffer): Generator<Tile> {
  const [right, bottom] = [rect.x + rect.width, rect.y + rect.height]
  for (let y = rect.y; y < bottom; y += tileSide)
    for (let x = rect.x; x < right; x += tileSide)
      yield new Tile(
        { x, y, width: Math.min(tileSide, right - x), height: Math.min(tileSide, bottom - y) },
        framebuffer,
      )
}
