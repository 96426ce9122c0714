import { readCall } from './call.ts'
import {
  closesCall,
  isColon,
  isComma,
  isDigit,
  isNamePart,
  nameEnd,
  opensCall,
  startsName,
} from './characters.ts'
import type { Cursor } from './cursor.ts'
import { closingQuote, readEscaped, readQuoted } from './quoted.ts'
import { Fields, type Value } from './value.ts'

/** Deeper nesting than any model writes. It limits the cost of failed attempts. */
const maxDepth = 16

const words: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
}

/**
 * Reads one literal of Python or JSON. Nothing is evaluated, and anything else is undefined. `loose` is for arguments
 * of calls in families that only use keyword arguments: it allows unescaped quotes, bare words and tagged points.
 */
export function readLiteral(cursor: Cursor, loose = false, depth = 0): Value | undefined {
  const code = cursor.skipBlanks()
  if (closingQuote(code) > 0) return readQuoted(cursor, loose)
  if (code === 92 && loose) return readEscaped(cursor)
  if (isDigit(code) || code === 45 || code === 43 || code === 46) return readNumber(cursor)
  if (depth > maxDepth) return undefined
  if (code === 91) return readList(cursor, 93, depth + 1)
  if (opensCall(code)) return readList(cursor, 41, depth + 1)
  if (code === 123) return readFields(cursor, depth + 1)
  if (code === 60 || code === 124) return readMarked(cursor)
  if (startsName(code)) return readWord(cursor, loose, depth + 1)
  return undefined
}

function readNumber(cursor: Cursor): number | undefined {
  const { text, end } = cursor
  const start = cursor.at
  let at = start
  let whole = 0
  let code = text.charCodeAt(at)
  if (code === 45 || code === 43) at++
  const digits = at
  for (; at < end; at++) {
    code = text.charCodeAt(at)
    if (!isDigit(code)) break
    whole = whole * 10 + code - 48
  }
  if (at < end && (code === 46 || code === 101 || code === 69)) return readDecimal(cursor, at)
  if (at === digits || (at < end && isNamePart(code))) {
    cursor.at = at
    return undefined
  }
  cursor.at = at
  if (at - digits > 15) return undefined
  return text.charCodeAt(start) === 45 ? -whole : whole
}

function readDecimal(cursor: Cursor, at: number): number | undefined {
  const { text, end } = cursor
  const start = cursor.at
  if (text.charCodeAt(at) === 46) at++
  while (at < end && isDigit(text.charCodeAt(at))) at++
  if ((text.charCodeAt(at) | 32) === 101) {
    at++
    if (text.charCodeAt(at) === 45 || text.charCodeAt(at) === 43) at++
    while (at < end && isDigit(text.charCodeAt(at))) at++
  }
  cursor.at = at
  if (at - start > 40 || (at < end && isNamePart(text.charCodeAt(at)))) return undefined
  const number = Number(text.slice(start, at))
  return Number.isFinite(number) ? number : undefined
}

/** Items are separated by commas; numbers can also be separated by whitespace only. */
function readList(cursor: Cursor, close: number, depth: number): Value[] | undefined {
  const items: Value[] = []
  cursor.at++
  for (;;) {
    const code = cursor.skipBlanks()
    if (code === close || (close === 41 && closesCall(code))) {
      cursor.at++
      return items
    }
    const item = readLiteral(cursor, false, depth)
    if (item === undefined) return undefined
    items.push(item)
    const next = cursor.skipBlanks()
    if (isComma(next)) cursor.at++
    // Numbers without a closing bracket end with the surrounding object.
    else if (next === 125 && typeof item === 'number') return items
    else if (next !== close && typeof item !== 'number' && !(close === 41 && closesCall(next)))
      return undefined
  }
}

/** An object without its closing braces counts as closed at the end of the text or at a tag. */
function readFields(cursor: Cursor, depth: number): Fields | undefined {
  const fields = new Fields()
  fields.start = cursor.at++
  for (;;) {
    let code = cursor.skipBlanks()
    if (code === 125) {
      fields.end = ++cursor.at
      return fields
    }
    const name = readName(cursor, code)
    if (name === undefined || !isColon(cursor.skipBlanks())) return undefined
    cursor.at++
    const value = readLiteral(cursor, false, depth)
    if (value === undefined) return undefined
    fields.add(name, value)
    const after = cursor.at
    code = cursor.skipBlanks()
    if (isComma(code)) cursor.at++
    else if (code !== 125) {
      if ((code !== -1 && code !== 60) || typeof value === 'number') return undefined
      fields.end = cursor.at = after
      return fields
    }
  }
}

function readName(cursor: Cursor, code: number): string | undefined {
  if (closingQuote(code) > 0) {
    const { lenient } = cursor
    cursor.lenient = false
    const name = readQuoted(cursor, false)
    cursor.lenient = lenient
    return name
  }
  if (!startsName(code)) return undefined
  const start = cursor.at
  cursor.at = nameEnd(cursor.text, start)
  return cursor.text.slice(start, cursor.at)
}

const marks = [
  ['<point>', '</point>'],
  ['<bbox>', '</bbox>'],
  ['<|box_start|>', '<|box_end|>'],
  ['|box_start|', '|box_end|'],
] as const

/** A point between tags, such as `<point>12 34</point>`, as text. */
function readMarked(cursor: Cursor): string | undefined {
  const { text, at, end } = cursor
  for (const [open, close] of marks) {
    if (!text.startsWith(open, at)) continue
    const content = text.slice(at, Math.min(end, at + 200))
    const length = content.indexOf(close)
    if (length < 0) return undefined
    cursor.at = at + length + close.length
    return content.slice(0, length + close.length)
  }
  return undefined
}

/** Its constants are read as their names: a button, or an easing function. */
const pyautogui = 'pyautogui.'

function readWord(cursor: Cursor, loose: boolean, depth: number): Value | undefined {
  const { text, at: start, end } = cursor
  const stop = nameEnd(text, start)
  const word = text.slice(start, stop)
  cursor.at = stop
  if (stop - start <= 5 && Object.hasOwn(words, word)) return words[word]
  const code = cursor.code()
  if (code === 40) {
    cursor.at = start
    return readCall(cursor, loose, depth)
  }
  const quote = closingQuote(code)
  if (quote > 0 && stop - start === 1) return readPrefixed(cursor, word)
  if (word.startsWith(pyautogui)) return word.slice(pyautogui.length)
  if (!loose) return undefined
  let at = stop
  while (at < end && at - start < 100 && isBareWord(text.charCodeAt(at))) at++
  cursor.at = at
  return text.slice(start, at).trimEnd()
}

/** Reads Python's prefixed strings. A formatted string with a placeholder is not a literal. */
function readPrefixed(cursor: Cursor, prefix: string): string | undefined {
  const start = cursor.at
  const content = readQuoted(cursor, false)
  if (content === undefined) return undefined
  if (prefix === 'r' || prefix === 'R') return cursor.text.slice(start + 1, cursor.at - 1)
  if (prefix === 'f' || prefix === 'F') return content.includes('{') ? undefined : content
  return prefix === 'u' || prefix === 'b' || prefix === 'U' || prefix === 'B' ? content : undefined
}

function isBareWord(code: number): boolean {
  return isNamePart(code) || code === 32 || code === 43 || code === 45 || code === 46
}
