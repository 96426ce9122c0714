import { isNamePart, nameEnd, startsName } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { readLiteral } from './literal.ts'
import { Call } from './value.ts'
import { nameAt, nameText } from './words.ts'

/** Reads `name(…)` at the cursor, which stands on the name. Every argument must be a literal. */
export function readCall(cursor: Cursor, loose: boolean, depth = 0): Call | undefined {
  const { text } = cursor
  const start = cursor.at
  cursor.at = nameEnd(text, start)
  const call = new Call(nameText(text, start, cursor.at, nameAt(text, start, cursor.at)))
  if (cursor.code() !== 40) return undefined
  cursor.at++
  for (;;) {
    const code = cursor.skipBlanks()
    if (code === 41) break
    const from = cursor.at
    const stop = startsName(code) ? keyword(cursor) : 0
    const value = readLiteral(cursor, loose, depth)
    if (value === undefined) return undefined
    if (stop > 0) {
      const number = nameAt(text, from, stop)
      call.fields.add(nameText(text, from, stop, number), value, number)
    } else call.positional.push(value)
    const next = cursor.skipBlanks()
    if (next === 44) cursor.at++
    else if (next !== 41) return undefined
  }
  cursor.at++
  call.fields.start = start
  call.fields.end = cursor.at
  return call
}

/** Where the name of an argument ends; 0, and nothing is read, when no `=` follows it. */
function keyword(cursor: Cursor): number {
  const { text, end } = cursor
  const start = cursor.at
  let at = start
  while (at < end && isNamePart(text.charCodeAt(at))) at++
  const stop = at
  while (at < end && text.charCodeAt(at) === 32) at++
  if (at >= end || text.charCodeAt(at) !== 61 || text.charCodeAt(at + 1) === 61) return 0
  cursor.at = at + 1
  return stop
}
