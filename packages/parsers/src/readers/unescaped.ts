import { codeAt, isNamePart, nextLineWithin, skipBlanks } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { closingQuote, decodeEscapes } from './quoted.ts'

/**
 * Reads on in a string of an object, from `start`, whose first bare quote right before the cursor ends no value: models
 * leave quotes in a text unescaped. The string ends in its line, at a quote after which the object goes on or ends;
 * where that is in doubt it is no string.
 */
export function readOn(cursor: Cursor, start: number, quote: number): string | undefined {
  const { text, end } = cursor
  cursor.readOn = true
  for (let at = cursor.at; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 10) break
    if (code === 92) at++
    if (code !== quote) continue
    const next = skipBlanks(text, at + 1, end)
    const brace = codeAt(text, next, end) === 125
    if (brace && codeAt(text, skipBlanks(text, next + 1, end), end) === quote) continue
    if (brace ? endsObject(text, next + 1, end) : goesOn(text, next, end)) {
      cursor.at = at + 1
      return decodeEscapes(text.slice(start, at))
    }
    if (brace) break
  }
  cursor.at = nextLineWithin(text, cursor.at, end)
  return undefined
}

/** Whether what stands behind a value may follow one in an object; no string needs to be read on then. */
export function endsValue(text: string, at: number, end: number): boolean {
  at = skipBlanks(text, at, end)
  const code = codeAt(text, at, end)
  if (code !== 44) return at >= end || code === 125 || code === 60
  return closingQuote(codeAt(text, skipBlanks(text, at + 1, end), end)) > 0 || goesOn(text, at, end)
}

/** Braces, brackets, commas, tags and fences may follow an object, or anything in another line. */
function endsObject(text: string, at: number, end: number): boolean {
  const next = skipBlanks(text, at, end)
  if (next >= end || '{}],<`'.includes(text.charAt(next))) return true
  while (at < next && text.charCodeAt(at) !== 10) at++
  return at < next
}

const longestKey = 40

/** Whether a comma stands there, and behind it a name, in quotes or not, and a colon. */
function goesOn(text: string, at: number, end: number): boolean {
  if (codeAt(text, at, end) !== 44) return false
  at = skipBlanks(text, at + 1, end)
  const quote = closingQuote(codeAt(text, at, end))
  const start = quote > 0 ? at + 1 : at
  at = start
  while (at - start < longestKey && isNamePart(codeAt(text, at, end))) at++
  if (at === start || (quote > 0 && codeAt(text, at++, end) !== quote)) return false
  return codeAt(text, skipBlanks(text, at, end), end) === 58
}
