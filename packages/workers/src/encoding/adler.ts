/** The checksum of a zlib stream (RFC 1950), with the length that joining requires. */
export interface Adler {
  readonly a: number
  readonly b: number
  readonly length: number
}

const base = 65_521
/** The sums of this many bytes stay below 2^31, where arithmetic is fastest. */
const maxRun = 2600

export function adlerOf(bytes: Uint8Array): Adler {
  let a = 1
  let b = 0
  for (let start = 0; start < bytes.length; start += maxRun) {
    const end = Math.min(bytes.length, start + maxRun)
    for (let at = start; at < end; at++) {
      a += bytes[at] ?? 0
      b += a
    }
    a %= base
    b %= base
  }
  return { a, b, length: bytes.length }
}

/** Returns the checksum of two pieces, one after the other, from theirs. */
export function joinAdler(first: Adler, second: Adler): Adler {
  const a = (first.a + second.a + base - 1) % base
  const shifted = ((second.length % base) * (first.a + base - 1)) % base
  return { a, b: (first.b + second.b + shifted) % base, length: first.length + second.length }
}
