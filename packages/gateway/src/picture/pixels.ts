import type { Area } from '@sandglass/wire/frames'

/**
 * Rows from the top, one word per pixel: red, green, blue and one more byte, on little-endian hosts. The words are
 * signed, since JavaScript engines are faster with small signed integers.
 */
export interface Pixels {
  readonly words: Int32Array
  readonly width: number
}

/** Copies an area, four bytes per pixel, to the top left of `to`. */
export function copyOf(
  from: Pixels,
  { x, y, width, height }: Area,
  to: Pixels = blank(width, height),
): Uint8Array {
  for (let row = 0; row < height; row++) {
    const start = (y + row) * from.width + x
    to.words.set(from.words.subarray(start, start + width), row * to.width)
  }
  return new Uint8Array(to.words.buffer)
}

function blank(width: number, height: number): Pixels {
  return { words: new Int32Array(width * height), width }
}
