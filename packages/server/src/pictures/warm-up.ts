import { encodeLossless } from '@sandglass/wire/webp'
import { encodePixels, type Pixels } from './encode.ts'
import { pictureFormats } from './format.ts'

const side = 128

/** After so many the lossless encoder is compiled: the first screen takes a third of what it would otherwise. */
const rounds = 20

/** Loads and compiles what the first pictures would have to wait for. */
export async function warmUp(): Promise<void> {
  const picture = sample()
  for (const format of pictureFormats) await encodePixels(picture, format)
  for (let round = 0; round < rounds; round++) encodeLossless(picture)
}

/** Some of all there is on screens: a flat area, a gradient, something that repeats, and noise, which make it no flat one. */
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
