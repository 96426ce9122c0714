/** Codes are at most this long (RFC 9649, "Normal Code Length Code"). */
export const longestCode = 15

/**
 * The codes of these lengths: short ones first, symbols in their order among codes of one length. Each has its first
 * bit lowest, as it is written.
 */
export function codesOf(lengths: Uint8Array): Uint16Array {
  const next = firstCodes(lengths)
  const codes = new Uint16Array(lengths.length)
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] ?? 0
    if (length === 0) continue
    const code = next[length] ?? 0
    next[length] = code + 1
    codes[symbol] = reversed(code, length)
  }
  return codes
}

/** The first code of each length: it follows the last of those that are shorter by a bit. */
function firstCodes(lengths: Uint8Array): Uint16Array {
  const counts = new Uint16Array(longestCode + 1)
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1
  const first = new Uint16Array(longestCode + 1)
  for (let length = 2; length <= longestCode; length++)
    first[length] = ((first[length - 1] ?? 0) + (counts[length - 1] ?? 0)) << 1
  return first
}

function reversed(code: number, length: number): number {
  let result = 0
  for (let bit = 0; bit < length; bit++) result |= ((code >>> bit) & 1) << (length - 1 - bit)
  return result
}
