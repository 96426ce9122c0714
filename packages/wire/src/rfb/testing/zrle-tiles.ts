import type { Rect } from '../rect.ts'
import { join, u8 } from './bytes.ts'

/** A picture with colours as 0xRRGGBB, row by row. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly colours: readonly number[]
}

export const subencodings = ['raw', 'solid', 'packed palette', 'plain RLE', 'palette RLE'] as const
export type Subencoding = (typeof subencodings)[number]

/** The maximum number of colours per tile for each subencoding. */
export const maxColours: Readonly<Record<Subencoding, number>> = {
  raw: Infinity,
  solid: 1,
  'packed palette': 16,
  'plain RLE': Infinity,
  'palette RLE': 127,
}

/** The tiles of a picture before compression. A tile with too many colours for the preferred subencoding is raw. */
export function encodeTiles(picture: Picture, preferred: Subencoding): Uint8Array {
  const tiles: Uint8Array[] = []
  for (let y = 0; y < picture.height; y += 64)
    for (let x = 0; x < picture.width; x += 64) {
      const [width, height] = [Math.min(64, picture.width - x), Math.min(64, picture.height - y)]
      tiles.push(encodeTile(cut(picture, { x, y, width, height }), preferred))
    }
  return join(...tiles)
}

function cut({ width, colours }: Picture, rect: Rect): Picture {
  const rows = Array.from({ length: rect.height }, (_, row) => {
    const start = (rect.y + row) * width + rect.x
    return colours.slice(start, start + rect.width)
  })
  return { ...rect, colours: rows.flat() }
}

function encodeTile(tile: Picture, preferred: Subencoding): Uint8Array {
  const palette = [...new Set(tile.colours)]
  const fits =
    palette.length <= maxColours[preferred] && (preferred !== 'packed palette' || palette.length > 1)
  switch (fits ? preferred : 'raw') {
    case 'raw':
      return join(u8(0), ...tile.colours.map(cpixel))
    case 'solid':
      return join(u8(1), ...palette.map(cpixel))
    case 'packed palette':
      return join(u8(palette.length), ...palette.map(cpixel), ...packedRows(tile, palette))
    case 'plain RLE':
      return join(
        u8(128),
        ...runs(tile.colours).map(({ value, length }) => join(cpixel(value), runLength(length))),
      )
    case 'palette RLE': {
      // A palette of one colour has no subencoding: 129 is unused.
      const colours = palette.length > 1 ? palette : [...palette, 0]
      return join(u8(128 + colours.length), ...colours.map(cpixel), ...paletteRuns(tile, colours))
    }
  }
}

const cpixel = (colour: number) => u8(colour >> 16, colour >> 8, colour)

function packedRows({ width, height, colours }: Picture, palette: readonly number[]): Uint8Array[] {
  const bits = palette.length === 2 ? 1 : palette.length <= 4 ? 2 : 4
  return Array.from({ length: height }, (_, y) => {
    const row = new Uint8Array(Math.ceil((width * bits) / 8))
    for (let x = 0; x < width; x++) {
      const index = palette.indexOf(colours[y * width + x] ?? 0)
      const at = (x * bits) >> 3
      row[at] = (row[at] ?? 0) | (index << (8 - bits - ((x * bits) & 7)))
    }
    return row
  })
}

function runs(values: readonly number[]): { value: number; length: number }[] {
  const found: { value: number; length: number }[] = []
  for (const value of values) {
    const last = found.at(-1)
    if (last?.value === value) last.length++
    else found.push({ value, length: 1 })
  }
  return found
}

function runLength(length: number): Uint8Array {
  const bytes = new Uint8Array(Math.floor((length - 1) / 255) + 1).fill(255)
  bytes[bytes.length - 1] = (length - 1) % 255
  return bytes
}

const paletteRuns = ({ colours }: Picture, palette: readonly number[]) =>
  runs(colours).map(({ value, length }) => {
    const index = palette.indexOf(value)
    return length === 1 ? u8(index) : join(u8(index | 128), runLength(length))
  })
