import { closesCall, codeAt, isBlank, isColon, isComma, isNamePart, skipBlanks } from './characters.ts'

/** Whether a string that may contain unescaped quotes ends at a quote, continues, or is ambiguous. */
export type Ending = 'ends' | 'continues' | 'ambiguous'

/**
 * Classifies the quote before `at`: a closing quote is followed by another field or the end of the object. Only
 * separators and the name of a field are examined.
 */
export function endingAt(text: string, at: number, end: number, quote: number): Ending {
  at = skipBlanks(text, at, end)
  const code = codeAt(text, at, end)
  if (at >= end || code === 60) return 'ends'
  if (isComma(code)) return startsField(text, at + 1, end, quote) ? 'ends' : 'continues'
  return closesObject(code) ? endingOfObject(text, at, end, quote) : 'continues'
}

function closesObject(code: number): boolean {
  return code === 125 || code === 93
}

/**
 * Brackets that end an object are followed by another field or object, by markup, or by the end of the line. If a quote
 * follows, they are text; anything else is ambiguous.
 */
function endingOfObject(text: string, at: number, end: number, quote: number): Ending {
  let code = codeAt(text, at, end)
  let ended = false
  while (at < end && (closesObject(code) || closesCall(code) || isBlank(code))) {
    if (code === 10) ended = true
    code = codeAt(text, ++at, end)
  }
  if (ended || at >= end || code === 60 || code === 96 || code === 123) return 'ends'
  if (code === quote) return 'continues'
  return isComma(code) && startsField(text, at + 1, end, quote) ? 'ends' : 'ambiguous'
}

const maxNameLength = 40

/** Whether `"name":` follows, or what may be in its place: another object, or a bracket after a trailing comma. */
function startsField(text: string, at: number, end: number, quote: number): boolean {
  at = skipBlanks(text, at, end)
  const code = codeAt(text, at, end)
  if (code !== quote) return code === 123 || closesObject(code)
  const limit = Math.min(end, ++at + maxNameLength)
  while (at < limit && isNamePart(text.charCodeAt(at))) at++
  return codeAt(text, at, end) === quote && isColon(codeAt(text, skipBlanks(text, at + 1, end), end))
}
