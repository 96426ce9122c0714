/**
 * Lengths and distances, which begin with 1, are told by a symbol for their magnitude and by bits behind it (RFC 9649,
 * "LZ77 Backward Reference"): the first four by a symbol of their own, then two symbols for each power of two.
 */
export function magnitudeOf(value: number): number {
  const rest = value - 1
  if (rest < 4) return rest
  const highest = 31 - Math.clz32(rest)
  return 2 * highest + ((rest >>> (highest - 1)) & 1)
}

/** How many bits follow the symbol: the lowest of the number before `value`. */
export function bitsBehind(magnitude: number): number {
  return magnitude < 4 ? 0 : (magnitude >>> 1) - 1
}
