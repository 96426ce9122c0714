const quote = 34
const comma = 44
const bracket = 91
const backslash = 92
const brace = 123

/**
 * Returns true if a JSON text has more than this many values, without parsing it. Objects and arrays take thirty times
 * the memory of their text, and much of the time that parsing takes.
 */
export function hasMoreValuesThan(max: number, text: string): boolean {
  let count = 0
  let isInString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInString) {
      if (code === backslash) at++
      else if (code === quote) isInString = false
    } else if (code === quote) isInString = true
    else if ((code === comma || code === bracket || code === brace) && ++count > max) return true
  }
  return false
}
