import { BitWriter } from './bit-writer.ts'
import { writeEntropyCoded } from './entropy-coded.ts'
import { tileBits } from './predictors.ts'
import { takeResiduals } from './residuals.ts'
import { ReusedWords } from './reused-words.ts'
import { webpFile } from './riff.ts'

const signature = 0x2f
const maxSide = 1 << 14
/** Transform types (RFC 9649, "Transforms"). */
const predictor = 0
const subtractGreen = 2

const memory = new ReusedWords()

/** A picture with four bytes per pixel: red, green, blue, and alpha, which must be 255. */
export interface OpaquePicture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array<ArrayBuffer>
}

/** Encodes a lossless WebP file (RFC 9649). It is tuned for screenshots and correct for all pictures. */
export function encodeLossless(picture: OpaquePicture): Uint8Array<ArrayBuffer> {
  const words = wordsOf(picture)
  const { width, height } = picture
  const bits = new BitWriter()
  bits.write(signature, 8)
  bits.write(width - 1, 14)
  bits.write(height - 1, 14)
  // No alpha, version 0.
  bits.write(0, 4)
  bits.write(1, 1)
  bits.write(subtractGreen, 2)
  bits.write(1, 1)
  bits.write(predictor, 2)
  bits.write(tileBits - 2, 3)
  const residuals = memory.atLeast(words.length)
  const tiles = takeResiduals(words, width, height, residuals)
  writeEntropyCoded(bits, tiles.predictors, tiles, 'tiles')
  // No more transforms.
  bits.write(0, 1)
  writeEntropyCoded(bits, residuals, picture, 'picture')
  return webpFile('VP8L', bits.bytes())
}

function wordsOf({ width, height, pixels }: OpaquePicture): Int32Array {
  for (const side of [width, height])
    if (!Number.isInteger(side) || side < 1 || side > maxSide)
      throw new RangeError(`a side of ${side} pixels; WebP has 1 to ${maxSide}`)
  if (pixels.length !== width * height * 4)
    throw new RangeError(`${pixels.length} bytes of pixels; ${width}x${height} has ${width * height * 4}`)
  const aligned = pixels.byteOffset % 4 === 0 ? pixels : pixels.slice()
  return new Int32Array(aligned.buffer, aligned.byteOffset, width * height)
}
