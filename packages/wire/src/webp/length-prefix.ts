/**
 * The prefix symbol of a length or distance, which start at 1 (RFC 9649, "LZ77 Backward Reference"): the first four
 * have a symbol of their own, and each further power of two has two symbols followed by extra bits.
 */
export function prefixOf(value: number): number {
  const rest = value - 1
  if (rest < 4) return rest
  const highest = 31 - Math.clz32(rest)
  return 2 * highest + ((rest >>> (highest - 1)) & 1)
}

/** The number of extra bits after a prefix symbol; they are the lowest bits of `value - 1`. */
export function extraBits(prefix: number): number {
  return prefix < 4 ? 0 : (prefix >>> 1) - 1
}
