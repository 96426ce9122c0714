import { encodeLossless } from '@sandglass/wire/webp'
import { pictureFormats } from '../contract/picture-format.ts'
import { encodePixels, type Pixels } from './encode.ts'

const side = 128

/**
 * After this many rounds V8 has optimised the lossless encoder, and the first screen takes a third of the time that
 * it would otherwise.
 */
const rounds = 20

/** Loads and compiles what the first pictures would otherwise have to wait for. */
export async function warmUp(): Promise<void> {
  const picture = sample()
  for (const format of pictureFormats) await encodePixels(picture, format)
  for (let round = 0; round < rounds; round++) encodeLossless(picture)
}

/**
 * Creates a picture with everything that occurs on screens: a flat area, a gradient, a repeated pattern, and noise.
 * It does not count as flat, so all encoders are used.
 */
function sample(): Pixels {
  const words = new Uint32Array(side * side)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const top = x < side / 2 ? 0xffffff : x * 0x010101
      const bottom = x < side / 2 ? noise(x % 9, y % 16) : noise(x, y)
      words[y * side + x] = y < side / 2 ? top : bottom
    }
  return { width: side, height: side, pixels: new Uint8Array(words.buffer) }
}

function noise(x: number, y: number): number {
  return Math.imul(x * 7919 + y * 104729, 0x9e3779b1) >>> 8
}
