import type { BitWriter } from './bit-writer.ts'
import { bitsBehind, magnitudeOf } from './magnitude.ts'
import { PrefixCode } from './prefix-code.ts'
import { cacheBits, cachedToken, firstCached, firstLength, Tokens } from './tokens.ts'

/** Short enough that a code and the bits behind it, 18 at most, are written in one go. */
const longestDistanceCode = 13

/** Of pixels without alpha, whose code therefore has nothing to tell. */
const noAlpha = new PrefixCode(new Uint32Array(256))

const tokens = new Tokens()

/**
 * Writes pixels as an entropy-coded image (RFC 9649, "Image Data"): the cache, the codes, then what they tell. The picture itself
 * could have other codes in other parts of it, and says that it has not.
 */
export function writeEntropyCoded(
  bits: BitWriter,
  pixels: Int32Array,
  size: { readonly width: number; readonly height: number },
  role: 'picture' | 'tiles',
): void {
  const told = tokens.read(pixels, size.width * size.height, size.width)
  bits.write(1, 1)
  bits.write(cacheBits, 4)
  if (role === 'picture') bits.write(0, 1)
  const green = new PrefixCode(tokens.green)
  const red = new PrefixCode(tokens.red)
  const blue = new PrefixCode(tokens.blue)
  const distance = new PrefixCode(tokens.distance, longestDistanceCode)
  for (const code of [green, red, blue, noAlpha, distance]) code.announce(bits)
  writeTokens(bits, told, { green, red, blue, distance })
}

type Codes = Readonly<Record<'green' | 'red' | 'blue' | 'distance', PrefixCode>>

function writeTokens(bits: BitWriter, told: Int32Array, { green, red, blue, distance }: Codes): void {
  for (let at = 0; at < told.length; at++) {
    const token = told[at] ?? 0
    if (token >= cachedToken) green.write(bits, firstCached + token - cachedToken)
    else if (token >= 0) {
      green.write(bits, (token >>> 8) & 0xff)
      red.write(bits, token >>> 16)
      blue.write(bits, token & 0xff)
    } else {
      writeNumber(bits, green, firstLength, -token)
      writeNumber(bits, distance, 0, told[++at] ?? 0)
    }
  }
}

/** A length or a distance: its magnitude, by the symbols of `code` from `first` on, and the bits behind it. */
function writeNumber(bits: BitWriter, code: PrefixCode, first: number, value: number): void {
  const magnitude = magnitudeOf(value)
  const count = bitsBehind(magnitude)
  code.writeWith(bits, first + magnitude, (value - 1) & ((1 << count) - 1), count)
}
