import { type Area, indexBits, type TileOp } from '@sandglass/wire/frames'
import { Palette } from './palette.ts'
import type { Pixels } from './pixels.ts'

const palette = new Palette()

/** The pixels of an area as one tile, of the kind that takes the fewest bytes. */
export function tileOfPixels(pixels: Pixels, area: Area): TileOp {
  const indices = indicesOf(pixels, area)
  if (!indices) return { op: 'rgb', area, pixels: rgbOf(pixels, area) }
  const colours = palette.colours()
  if (colours.length === 3) return { op: 'fill', area, colour: colours }
  const bits = indexBits(colours.length / 3)
  return { op: 'palette', area, colours, indices: bits === 8 ? indices : packed(indices, area, bits) }
}

/** A byte for each pixel, of the colours that the palette has now; nothing where there are too many. */
function indicesOf({ words, width: stride }: Pixels, area: Area): Uint8Array | undefined {
  palette.clear()
  const indices = new Uint8Array(area.width * area.height)
  let at = 0
  // Pixels mostly are as the one before.
  let [last, index] = [-1, 0]
  for (let row = area.y; row < area.y + area.height; row++)
    for (let from = row * stride + area.x; from < row * stride + area.x + area.width; from++) {
      const word = words[from] ?? 0
      if (word !== last) {
        last = word
        index = palette.indexOf(word)
        if (index === -1) return
      }
      indices[at++] = index
    }
  return indices
}

function packed(indices: Uint8Array, { width, height }: Area, bits: number): Uint8Array {
  const stride = Math.ceil((width * bits) / 8)
  const bytes = new Uint8Array(stride * height)
  let from = 0
  for (let row = 0; row < height; row++)
    for (let column = 0; column < width; column++) {
      const bit = column * bits
      const to = row * stride + (bit >> 3)
      bytes[to] = (bytes[to] ?? 0) | ((indices[from++] ?? 0) << (8 - bits - (bit & 7)))
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
