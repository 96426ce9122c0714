import { isNamePart, nameEnd, startsName } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { readLiteral } from './literal.ts'
import { Call } from './value.ts'
import { nameAt } from './words.ts'

/** Reads `name(…)` at the cursor, which stands on the name. Every argument must be a literal. */
export function readCall(cursor: Cursor, loose: boolean, depth = 0): Call | undefined {
  const { text } = cursor
  const start = cursor.at
  cursor.at = nameEnd(text, start)
  const call = new Call(nameAt(text, start, cursor.at))
  if (cursor.code() !== 40) return undefined
  cursor.at++
  for (;;) {
    const code = cursor.skipBlanks()
    if (code === 41) break
    const field = startsName(code) ? keyword(cursor) : undefined
    const value = readLiteral(cursor, loose, depth)
    if (value === undefined) return undefined
    if (field === undefined) call.positional.push(value)
    else call.fields.add(field, value)
    const next = cursor.skipBlanks()
    if (next === 44) cursor.at++
    else if (next !== 41) return undefined
  }
  cursor.at++
  call.fields.start = start
  call.fields.end = cursor.at
  return call
}

/** The `name=` of an argument; without the `=` nothing is read. */
function keyword(cursor: Cursor): string | undefined {
  const { text, end } = cursor
  const start = cursor.at
  let at = start
  while (at < end && isNamePart(text.charCodeAt(at))) at++
  const stop = at
  while (at < end && text.charCodeAt(at) === 32) at++
  if (at >= end || text.charCodeAt(at) !== 61 || text.charCodeAt(at + 1) === 61) return undefined
  cursor.at = at + 1
  return nameAt(text, start, stop)
}
