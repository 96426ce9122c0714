import { closesCall, codeAt, isBlank, isColon, isComma, isNamePart, skipBlanks } from './characters.ts'

/** Whether a string that may hold unescaped quotes ends with one of them, goes on, or may do either. */
export type Ending = 'ends' | 'goes on' | 'in doubt'

/**
 * What the quote before `at` does: one that ends its string has another field or the end of its object behind it. Of
 * the text there, only what parts two quotes is looked at, and the name of a field.
 */
export function endingAt(text: string, at: number, end: number, quote: number): Ending {
  at = skipBlanks(text, at, end)
  const code = codeAt(text, at, end)
  if (at >= end || code === 60) return 'ends'
  if (isComma(code)) return startsField(text, at + 1, end, quote) ? 'ends' : 'goes on'
  return closesObject(code) ? endingOfObject(text, at, end, quote) : 'goes on'
}

function closesObject(code: number): boolean {
  return code === 125 || code === 93
}

/**
 * Brackets that end an object are followed by another field or object, by markup, or by nothing more in their line; a
 * quote behind them says that they are text, and anything else says nothing.
 */
function endingOfObject(text: string, at: number, end: number, quote: number): Ending {
  let code = codeAt(text, at, end)
  let ended = false
  while (at < end && (closesObject(code) || closesCall(code) || isBlank(code))) {
    if (code === 10) ended = true
    code = codeAt(text, ++at, end)
  }
  if (ended || at >= end || code === 60 || code === 96 || code === 123) return 'ends'
  if (code === quote) return 'goes on'
  return isComma(code) && startsField(text, at + 1, end, quote) ? 'ends' : 'in doubt'
}

const longestName = 40

/** `"name":`, or what stands in its place where the last comma is one too many or another object follows. */
function startsField(text: string, at: number, end: number, quote: number): boolean {
  at = skipBlanks(text, at, end)
  const code = codeAt(text, at, end)
  if (code !== quote) return code === 123 || closesObject(code)
  const limit = Math.min(end, ++at + longestName)
  while (at < limit && isNamePart(text.charCodeAt(at))) at++
  return codeAt(text, at, end) === quote && isColon(codeAt(text, skipBlanks(text, at + 1, end), end))
}
