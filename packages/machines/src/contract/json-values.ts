const [quote, backslash] = [0x22, 0x5c]
const separators: ReadonlySet<number> = new Set(Buffer.from(',:[{'))

/**
 * Whether a JSON text has more values, names and nestings than expected. Whoever parses a text of a guest asks this
 * first: an empty array takes three bytes of text and a hundred of memory. It counts the separators outside of strings,
 * and stops at the first one too many.
 */
export function hasMoreValues(text: string, max: number): boolean {
  let count = 0
  for (let at = 0; at < text.length && count <= max; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at + 1)
    else if (separators.has(code)) count++
  }
  return count > max
}

function endOfString(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); at < text.length && code !== quote; code = text.charCodeAt(at))
    at += code === backslash ? 2 : 1
  return at
}
