import { FrameError } from './frame-error.ts'
import { type Area, indexBits, parseTiles, type TileOp } from './tiles.ts'

/** More than any real screen. Larger ones are rejected before memory is allocated. */
const maxPixels = 4096 * 4096

/** A screen in memory that tiles are drawn on. */
export class PixelCanvas {
  readonly width: number
  readonly height: number
  /** RGBA rows from top to bottom; every pixel is opaque. */
  readonly rgba: Uint8ClampedArray<ArrayBuffer>
  /** The same memory with one word per pixel. Its bytes are red, green, blue and alpha on every host. */
  readonly #words: Uint32Array<ArrayBuffer>

  /** Starts black. Throws a FrameError if the size is implausible. */
  constructor(width: number, height: number) {
    if (width * height > maxPixels) throw new FrameError(`a screen of ${width} by ${height} is too large`)
    this.width = width
    this.height = height
    this.#words = new Uint32Array(width * height)
    this.#words.fill(word(0, 0, 0))
    this.rgba = new Uint8ClampedArray(this.#words.buffer)
  }

  /** Draws the ops of a `tiles` frame and returns the drawn areas in order. */
  apply(ops: Uint8Array): Area[] {
    const areas: Area[] = []
    for (const tile of parseTiles(ops)) {
      this.draw(tile)
      areas.push(tile.area)
    }
    return areas
  }

  draw(tile: TileOp): void {
    this.#assertInside(tile.area)
    if (tile.op === 'fill') this.#fill(tile.area, wordAt(tile.colour, 0))
    else if (tile.op === 'copy') this.#copy(tile.area, tile.from)
    else if (tile.op === 'rgb') this.#drawPixels(tile)
    else if (tile.op === 'mark') this.#drawMark(tile)
    else this.#drawIndices(tile)
  }

  #fill({ x, y, width, height }: Area, colour: number): void {
    for (let row = y; row < y + height; row++) {
      const start = row * this.width + x
      this.#words.fill(colour, start, start + width)
    }
  }

  /**
   * When copying down, start with the lowest row, so that no row is overwritten before it is copied. Within a row,
   * copyWithin handles the overlap.
   */
  #copy({ x, y, width, height }: Area, from: { readonly x: number; readonly y: number }): void {
    this.#assertInside({ ...from, width, height })
    for (let step = 0; step < height; step++) {
      const row = from.y < y ? height - 1 - step : step
      const start = (from.y + row) * this.width + from.x
      this.#words.copyWithin((y + row) * this.width + x, start, start + width)
    }
  }

  #drawMark({ area, colours, indices }: Extract<TileOp, { op: 'mark' }>): void {
    const [first, second] = [wordAt(colours, 0), wordAt(colours, 3)]
    for (let at = 0; at < area.width * area.height; at++) {
      const place = (area.y + Math.floor(at / area.width)) * this.width + area.x + (at % area.width)
      const isSecond = ((indices[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
      this.#words[place] = isSecond ? second : first
    }
  }

  /** The pages that draw were just loaded, so what counts is how few steps the slow first runs of this code take. */
  #drawIndices({ op, area, colours, indices }: Extract<TileOp, { op: 'palette' | 'columns' }>): void {
    const count = colours.length / 3
    const bits = indexBits(count)
    const palette = Uint32Array.from({ length: count }, (_, index) => wordAt(colours, 3 * index))
    const perByte = 8 / bits
    const isRows = op === 'palette'
    const [lines, length] = isRows ? [area.height, area.width] : [area.width, area.height]
    const [nextLine, next] = isRows ? [this.width, 1] : [1, this.width]
    const stride = Math.ceil(length / perByte)
    const words = this.#words
    const mask = (1 << bits) - 1
    const repeated = 0xff / mask
    for (let line = 0; line < lines; line++) {
      const start = area.y * this.width + area.x + line * nextLine
      const end = (line + 1) * stride
      for (let at = line * stride, from = 0; at < end; ) {
        const byte = indices[at++] ?? 0
        const index = byte & mask
        let to = from + perByte
        if (isRows && byte === index * repeated && indices[at] === byte) {
          // One colour, which is that of the bytes after it, too.
          for (; at < end && indices[at] === byte; at++) to += perByte
          words.fill(colourOf(palette, index), start + from, start + Math.min(to, length))
        } else {
          to = Math.min(to, length)
          for (let shift = 8 - bits, pixel = from; pixel < to; pixel++, shift -= bits)
            words[start + pixel * next] = colourOf(palette, (byte >> shift) & mask)
        }
        from = to
      }
    }
  }

  #drawPixels({ area, pixels }: Extract<TileOp, { op: 'rgb' }>): void {
    let at = 0
    for (let row = area.y; row < area.y + area.height; row++)
      for (let to = row * this.width + area.x; to < row * this.width + area.x + area.width; to++) {
        this.#words[to] = wordAt(pixels, at)
        at += 3
      }
  }

  #assertInside({ x, y, width, height }: Area): void {
    if (x + width > this.width || y + height > this.height)
      throw new FrameError(
        `${width}x${height} at ${x},${y} is not within the screen of ${this.width}x${this.height}`,
      )
  }
}

function colourOf(palette: Uint32Array, index: number): number {
  const colour = palette[index]
  if (colour === undefined)
    throw new FrameError(`a tile of ${palette.length} colours uses an index outside its palette`)
  return colour
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1

function word(red: number, green: number, blue: number): number {
  return isLittleEndian
    ? (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0
    : ((red << 24) | (green << 16) | (blue << 8) | 0xff) >>> 0
}

function wordAt(bytes: Uint8Array, at: number): number {
  return word(bytes[at] ?? 0, bytes[at + 1] ?? 0, bytes[at + 2] ?? 0)
}
