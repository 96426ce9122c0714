import { type Area, indexBits, type TileOp } from '@sandglass/wire/frames'
import { Palette } from './palette.ts'
import type { Pixels } from './pixels.ts'

const palette = new Palette()

/** Tiles this small are not compressed, and then whole bytes per line are better. Its width must fit into a byte. */
const maxMarkPixels = 240

/** Max height of one line of text. */
const maxLineHeight = 32

/** Encodes an area as the kind of tile that takes the fewest bytes; returns undefined if it has too many colours. */
export function paletteTile(pixels: Pixels, area: Area): TileOp | undefined {
  const indices = indicesOf(pixels, area)
  if (!indices) return
  const colours = palette.colours()
  if (colours.length === 3) return { op: 'fill', area, colour: colours }
  const { width, height } = area
  const bits = indexBits(colours.length / 3)
  if (bits === 1 && width * height <= maxMarkPixels) {
    const lines = { count: 1, length: width * height, toNext: 0, toPixel: 1 }
    return { op: 'mark', area, colours, indices: packed(indices, lines, bits) }
  }
  if (height <= maxLineHeight) {
    const lines = { count: width, length: height, toNext: 1, toPixel: width }
    return { op: 'columns', area, colours, indices: packed(indices, lines, bits) }
  }
  const lines = { count: height, length: width, toNext: width, toPixel: 1 }
  return { op: 'palette', area, colours, indices: bits === 8 ? indices : packed(indices, lines, bits) }
}

/** Encodes the raw pixels of an area. */
export function rgbTile(pixels: Pixels, area: Area): TileOp {
  return { op: 'rgb', area, pixels: rgbOf(pixels, area) }
}

/** One palette index per pixel; undefined if there are too many colours. */
function indicesOf({ words, width: stride }: Pixels, area: Area): Uint8Array | undefined {
  palette.clear()
  const indices = new Uint8Array(area.width * area.height)
  let at = 0
  // Most pixels equal the previous one or the last different one, as in text on a background.
  let [last, index, other, otherIndex] = [0, -1, 0, -1]
  for (let row = area.y; row < area.y + area.height; row++) {
    const start = row * stride + area.x
    for (let from = start; from < start + area.width; from++) {
      const word = words[from] ?? 0
      if (word !== last || index === -1) {
        const known = word === other ? otherIndex : -1
        ;[other, otherIndex] = [last, index]
        last = word
        index = known === -1 ? palette.indexOf(word) : known
        if (index === -1) return
      }
      indices[at++] = index
    }
  }
  return indices
}

/** How to traverse the pixels of an area. */
interface Lines {
  readonly count: number
  readonly length: number
  /** The distance from the first pixel of a line to that of the next. */
  readonly toNext: number
  readonly toPixel: number
}

/** Packs several indices per byte; each line starts with a new byte. */
function packed(indices: Uint8Array, { count, length, toNext, toPixel }: Lines, bits: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((length * bits) / 8) * count)
  let to = 0
  for (let line = 0; line < count; line++) {
    let [byte, free] = [0, 8]
    for (let at = 0; at < length; at++) {
      free -= bits
      byte |= (indices[line * toNext + at * toPixel] ?? 0) << free
      if (free > 0) continue
      bytes[to++] = byte
      byte = 0
      free = 8
    }
    if (free < 8) bytes[to++] = byte
  }
  return bytes
}

function rgbOf({ words, width: stride }: Pixels, area: Area): Uint8Array {
  const bytes = new Uint8Array(3 * area.width * area.height)
  let to = 0
  for (let row = area.y; row < area.y + area.height; row++)
    for (let from = row * stride + area.x; from < row * stride + area.x + area.width; from++) {
      const word = words[from] ?? 0
      bytes[to++] = word
      bytes[to++] = word >> 8
      bytes[to++] = word >> 16
    }
  return bytes
}
