import { closesCall, isComma, isDigit, skipBlanks, startsName, trimEnd } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { readLiteral } from './literal.ts'
import { nameIn } from './names.ts'
import { isPlaceName } from './place-names.ts'
import { pointOf } from './points.ts'
import { Call } from './value.ts'

/** Reads `name(…)` at the cursor. */
export function readCall(cursor: Cursor, loose: boolean, depth = 0): Call | undefined {
  const start = cursor.at
  const number = cursor.readName(true)
  if (cursor.code() !== 40) return undefined
  const call = new Call(nameIn(cursor.text, start, cursor.at, number), start)
  return readArguments(cursor, call, loose, depth) ? call : undefined
}

/**
 * Reads `(…)` at the cursor as arguments, which must be literals. A loose call without its closing parenthesis counts
 * as closed at the end of the text or at a tag, unless a number is there, which may be cut off.
 */
export function readArguments(cursor: Cursor, call: Call, loose: boolean, depth = 0): boolean {
  const { text } = cursor
  cursor.at++
  for (;;) {
    const code = cursor.skipBlanks()
    if (closesCall(code)) break
    if (!(startsName(code) ? readNamed(cursor, call, loose, depth) : readUnnamed(cursor, call, loose, depth)))
      return false
    const after = cursor.at
    const next = cursor.skipBlanks()
    if (isComma(next)) cursor.at++
    else if (!closesCall(next)) {
      if (!loose || depth > 0 || (next !== -1 && next !== 60) || isDigit(text.charCodeAt(after - 1)))
        return false
      call.fields.end = cursor.at = after
      return true
    }
  }
  call.fields.end = ++cursor.at
  return true
}

function readUnnamed(cursor: Cursor, call: Call, loose: boolean, depth: number): boolean {
  const value = readLiteral(cursor, loose, depth)
  if (value === undefined) return false
  call.push(value)
  return true
}

/** Reads `name=value`, or a value that starts like a name if no `=` follows. */
function readNamed(cursor: Cursor, call: Call, loose: boolean, depth: number): boolean {
  const { text, end } = cursor
  const start = cursor.at
  const number = cursor.readName(false)
  const stop = cursor.at
  let at = stop
  while (at < end && text.charCodeAt(at) === 32) at++
  if (at >= end || text.charCodeAt(at) !== 61 || text.charCodeAt(at + 1) === 61) {
    cursor.at = start
    return readUnnamed(cursor, call, loose, depth)
  }
  cursor.at = at + 1
  let value = readLiteral(cursor, loose, depth)
  if (value === undefined && cursor.openString && isPlaceName(number)) value = cutPlace(cursor, at + 1)
  if (value === undefined) return false
  call.fields.add(nameIn(text, start, stop, number), value, number)
  return true
}

const maxPointLength = 200

/** Coordinates whose closing tag is there although the text ends before the closing quote. */
function cutPlace(cursor: Cursor, from: number): string | undefined {
  const { text, end } = cursor
  const stop = trimEnd(text, from, end)
  if (stop - from > maxPointLength || text.charCodeAt(stop - 1) !== 62) return undefined
  const place = text.slice(skipBlanks(text, from, stop) + 1, stop)
  if (pointOf(place) === undefined) return undefined
  cursor.openString = false
  cursor.at = stop
  return place
}
