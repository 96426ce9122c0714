/** The maximum length of a code (RFC 9649, "Normal Code Length Code"). */
export const maxCodeLength = 15

/**
 * The canonical Huffman codes for these lengths: shorter codes first, and by symbol among codes of equal length. Each
 * code is bit-reversed, ready to be written.
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

/** The first code of each length; it follows the last code that is one bit shorter. */
function firstCodes(lengths: Uint8Array): Uint16Array {
  const counts = new Uint16Array(maxCodeLength + 1)
  for (const length of lengths) if (length > 0) counts[length] = (counts[length] ?? 0) + 1
  const first = new Uint16Array(maxCodeLength + 1)
  for (let length = 2; length <= maxCodeLength; length++)
    first[length] = ((first[length - 1] ?? 0) + (counts[length - 1] ?? 0)) << 1
  return first
}

function reversed(code: number, length: number): number {
  let result = 0
  for (let bit = 0; bit < length; bit++) result |= ((code >>> bit) & 1) << (length - 1 - bit)
  return result
}
