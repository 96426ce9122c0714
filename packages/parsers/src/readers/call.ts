import { startsName } from './characters.ts'
import type { Cursor } from './cursor.ts'
import { readLiteral } from './literal.ts'
import { nameIn } from './names.ts'
import { Call } from './value.ts'

/** Reads `name(…)` at the cursor, which stands on the name. Every argument must be a literal. */
export function readCall(cursor: Cursor, loose: boolean, depth = 0): Call | undefined {
  const { text } = cursor
  const start = cursor.at
  const number = cursor.readName(true)
  const call = new Call(nameIn(text, start, cursor.at, number))
  if (cursor.code() !== 40) return undefined
  cursor.at++
  for (;;) {
    const code = cursor.skipBlanks()
    if (code === 41) break
    if (!(startsName(code) ? readNamed(cursor, call, loose, depth) : readUnnamed(cursor, call, loose, depth)))
      return undefined
    const next = cursor.skipBlanks()
    if (next === 44) cursor.at++
    else if (next !== 41) return undefined
  }
  cursor.at++
  call.fields.start = start
  call.fields.end = cursor.at
  return call
}

function readUnnamed(cursor: Cursor, { positional }: Call, loose: boolean, depth: number): boolean {
  const value = readLiteral(cursor, loose, depth)
  if (value === undefined) return false
  positional.push(value)
  return true
}

/** Reads `name=value`, or a value that starts like a name where no `=` follows. */
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
  const value = readLiteral(cursor, loose, depth)
  if (value === undefined) return false
  call.fields.add(nameIn(text, start, stop, number), value, number)
  return true
}
