import { closesCall, isComma, isNamePart, nextLineWithin, skipBlanks, startsName } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { endingAt } from './unescaped.ts'

const backslash = 92

/** The closing quote for an opening one, or 0 if the character opens no string. */
export function closingQuote(code: number): number {
  if (code === 39 || code === 34) return code
  if (code === 0x201c) return 0x201d
  return code === 0x2018 ? 0x2019 : 0
}

/**
 * Reads the string at the cursor. A strict string ends at the first unescaped quote. A loose one is a whole argument of
 * a call, in which models do not escape quotes: it ends at a quote followed by `)` or `, name=`. In a leniently read
 * object, a string ends before another field or the end of the object. All may contain line ends.
 */
export function readQuoted(cursor: Cursor, loose: boolean): string | undefined {
  const { text, end } = cursor
  const open = text.charCodeAt(cursor.at)
  const quote = closingQuote(open)
  if (quote === 34 || quote === 39) {
    const triple = quote === 34 ? '"""' : "'''"
    if (text.charCodeAt(cursor.at + 1) === quote && text.startsWith(triple, cursor.at)) {
      const close = text.indexOf(triple, cursor.at + 3)
      if (close >= 0 && close + 3 <= end) {
        const content = decodeEscapes(text.slice(cursor.at + 3, close))
        cursor.at = close + 3
        return content
      }
    }
  }
  const start = cursor.at + 1
  if (quote === cursor.missing) return undefined
  let escaped = false
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) {
      escaped = true
      at++
    } else if (code === quote && endsString(cursor, at + 1, quote, loose)) {
      cursor.at = at + 1
      const content = text.slice(start, at)
      // An object on another line is not part of the string.
      if (cursor.isAmbiguous || (cursor.lenient && content.includes('\n{'))) return rejectAmbiguous(cursor)
      return escaped ? decodeEscapes(content) : content
    }
  }
  cursor.at = end
  cursor.openString = true
  if (!loose && !cursor.lenient) cursor.missing = quote
  return undefined
}

/** A string with an ambiguous end is rejected and discards its line. */
function rejectAmbiguous(cursor: Cursor): undefined {
  cursor.isAmbiguous = true
  cursor.at = nextLineWithin(cursor.text, cursor.at, cursor.end)
}

function endsString(cursor: Cursor, at: number, quote: number, loose: boolean): boolean {
  const { text, end, lenient } = cursor
  if (loose) return endsArgument(text, at, end, quote)
  const ending = lenient ? endingAt(text, at, end, quote) : 'ends'
  cursor.isAmbiguous = ending === 'ambiguous'
  return ending !== 'continues'
}

/** Reads a string whose quotes are escaped themselves, as in a printed prompt: `\\'…\\'`. */
export function readEscaped(cursor: Cursor): string | undefined {
  const { text, at, end } = cursor
  const quote = text.slice(at, at + 2)
  if (quote !== "\\'" && quote !== '\\"') return undefined
  const close = text.indexOf(quote, at + 2)
  cursor.openString = close < 0 || close + 2 > end
  cursor.at = cursor.openString ? end : close + 2
  return cursor.openString ? undefined : decodeEscapes(text.slice(at + 2, close))
}

function endsArgument(text: string, at: number, end: number, quote: number): boolean {
  if (text.charCodeAt(at) === 41 && (at + 1 >= end || text.charCodeAt(at + 1) === 10)) return true
  at = skipBlanks(text, at, end)
  if (at >= end) return true
  const code = text.charCodeAt(at)
  if (closesCall(code)) {
    at = skipBlanks(text, at + 1, end)
    return at >= end || text.charCodeAt(at) !== quote
  }
  // Special tokens do not occur in arguments, so the call has ended before one.
  if (code === 60) return text.charCodeAt(at + 1) === 124
  if (!isComma(code)) return false
  at = skipBlanks(text, at + 1, end)
  if (closesCall(text.charCodeAt(at))) return true
  if (!startsName(text.charCodeAt(at))) return false
  while (at < end && isNamePart(text.charCodeAt(at))) at++
  return text.charCodeAt(skipBlanks(text, at, end)) === 61
}

/** The replacement of each escape, by the character after the backslash. */
const escapes = new Array<string | undefined>(128).fill(undefined)
for (const [letter, meaning] of [
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['/', '/'],
  ['\n', ''],
] as const)
  escapes[letter.charCodeAt(0)] = meaning

/** Decodes the escapes of Python and JSON. A backslash before any other character is kept, as in Python. */
export function decodeEscapes(content: string): string {
  let at = content.indexOf('\\')
  if (at < 0) return content
  let decoded = ''
  let from = 0
  while (at >= 0 && at + 1 < content.length) {
    const next = content.charCodeAt(at + 1)
    const hex = next === 117 ? 4 : next === 120 ? 2 : 0
    const replacement = hex > 0 ? hexCharacter(content, at + 2, hex) : escapes[next]
    if (replacement !== undefined) {
      decoded += content.slice(from, at) + replacement
      from = at + 2 + hex
    }
    at = content.indexOf('\\', at + 2)
  }
  return decoded + content.slice(from)
}

function hexCharacter(content: string, at: number, length: number): string | undefined {
  let code = 0
  for (let digit = 0; digit < length; digit++) {
    const value = Number.parseInt(content.charAt(at + digit), 16)
    if (Number.isNaN(value)) return undefined
    code = code * 16 + value
  }
  return String.fromCharCode(code)
}
