import type { Area } from '@sandglass/wire/frames'

/**
 * Rows from the top, a word a pixel, whose bytes are red, green, blue and one more. Hosts are little endian. The words are
 * signed, since an engine of JavaScript is quicker with numbers of 31 bits and a sign.
 */
export interface Pixels {
  readonly words: Int32Array
  readonly width: number
}

/** A copy of an area, of four bytes a pixel, at the top left of the pixels given. */
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
