import type { BitWriter } from './bit-writer.ts'
import { extraBits, prefixOf } from './length-prefix.ts'
import { PrefixCode } from './prefix-code.ts'
import { cacheBits, cachedToken, firstCached, firstLength, Tokens } from './tokens.ts'

/** Short enough to write a code and its extra bits, at most 18, at once. */
const maxDistanceCodeLength = 13

/** The code for alpha, which is constant and therefore takes no bits. */
const noAlpha = new PrefixCode(new Uint32Array(256))

const tokens = new Tokens()

/**
 * Writes pixels as an entropy-coded image (RFC 9649, "Image Data"): the cache size, the codes, then the tokens. The
 * main picture could use different codes in different parts, which is declined.
 */
export function writeEntropyCoded(
  bits: BitWriter,
  pixels: Int32Array,
  size: { readonly width: number; readonly height: number },
  role: 'picture' | 'tiles',
): void {
  const values = tokens.read(pixels, size.width * size.height, size.width)
  bits.write(1, 1)
  bits.write(cacheBits, 4)
  if (role === 'picture') bits.write(0, 1)
  const green = new PrefixCode(tokens.green)
  const red = new PrefixCode(tokens.red)
  const blue = new PrefixCode(tokens.blue)
  const distance = new PrefixCode(tokens.distance, maxDistanceCodeLength)
  for (const code of [green, red, blue, noAlpha, distance]) code.writeHeader(bits)
  writeTokens(bits, values, { green, red, blue, distance })
}

type Codes = Readonly<Record<'green' | 'red' | 'blue' | 'distance', PrefixCode>>

function writeTokens(bits: BitWriter, values: Int32Array, { green, red, blue, distance }: Codes): void {
  for (let at = 0; at < values.length; at++) {
    const token = values[at] ?? 0
    if (token >= cachedToken) green.write(bits, firstCached + token - cachedToken)
    else if (token >= 0) {
      green.write(bits, (token >>> 8) & 0xff)
      red.write(bits, token >>> 16)
      blue.write(bits, token & 0xff)
    } else {
      writePrefixed(bits, green, firstLength, -token)
      writePrefixed(bits, distance, 0, values[++at] ?? 0)
    }
  }
}

/** Writes a length or a distance: its prefix symbol, counted from `first`, and its extra bits. */
function writePrefixed(bits: BitWriter, code: PrefixCode, first: number, value: number): void {
  const prefix = prefixOf(value)
  const count = extraBits(prefix)
  code.writeWith(bits, first + prefix, (value - 1) & ((1 << count) - 1), count)
}
