import { isNamePart, skipBlanks, trimEnd } from './characters.ts'
import { Cursor } from './cursor.ts'
import { readLiteral } from './literal.ts'
import { Call, type Value } from './value.ts'

const maxTagLength = 120
const bounds = [
  'parameter',
  'function',
  'invoke',
  'tool_call',
  'seed:tool_call',
  'minimax:tool_call',
] as const

/**
 * Reads `<function=name>`, `<function name="name">` or `<invoke name="name">` with its parameters, which use the same
 * syntax. A missing closing tag is assumed before the next tag that cannot be nested.
 */
export function readFunction(cursor: Cursor): Call | undefined {
  const { text, end } = cursor
  const start = cursor.at
  const tag = text.startsWith('<invoke', start) ? '<invoke' : '<function'
  const opened = openTag(text, start, end, tag)
  if (opened === undefined) return undefined
  const call = new Call(opened.name, start)
  let at = opened.end
  for (;;) {
    const bound = nextBound(text, at, end)
    at = bound
    const parameter = openTag(text, at, end, '<parameter')
    if (parameter === undefined) break
    const stop = nextBound(text, parameter.end, end)
    call.fields.add(parameter.name, parameterValue(text, parameter.end, stop))
    at = text.startsWith('</parameter', stop) ? closeEnd(text, stop, end) : stop
  }
  if (text.startsWith(`</${tag.slice(1)}`, at)) at = closeEnd(text, at, end)
  cursor.at = at
  call.fields.end = at
  return call
}

function openTag(
  text: string,
  at: number,
  end: number,
  open: string,
): { name: string; end: number } | undefined {
  if (!text.startsWith(open, at)) return undefined
  const limit = Math.min(end, at + maxTagLength)
  let from = skipBlanks(text, at + open.length, limit)
  if (text.startsWith('name', from)) from = skipBlanks(text, from + 4, limit)
  if (text.charCodeAt(from) !== 61) return undefined
  from = skipBlanks(text, from + 1, limit)
  const quoted = text.charCodeAt(from) === 34 || text.charCodeAt(from) === 39
  if (quoted) from++
  let stop = from
  while (stop < limit && isNamePart(text.charCodeAt(stop))) stop++
  let close = stop
  while (close < limit && text.charCodeAt(close) !== 62) close++
  return stop > from && close < limit ? { name: text.slice(from, stop), end: close + 1 } : undefined
}

function closeEnd(text: string, at: number, end: number): number {
  const limit = Math.min(end, at + maxTagLength)
  let stop = at + 2
  while (stop < limit && isNamePart(text.charCodeAt(stop))) stop++
  return text.charCodeAt(stop) === 62 && stop < end ? stop + 1 : stop
}

/** The next opening or closing tag of a call or parameter. */
function nextBound(text: string, from: number, end: number): number {
  for (let at = text.indexOf('<', from); at >= 0 && at < end; at = text.indexOf('<', at + 1)) {
    const name = at + (text.charCodeAt(at + 1) === 47 ? 2 : 1)
    for (const bound of bounds) if (text.startsWith(bound, name)) return at
  }
  return end
}

/** Lists and objects are parsed; everything else is text. */
function parameterValue(text: string, start: number, end: number): Value {
  const from = skipBlanks(text, start, end)
  const code = text.charCodeAt(from)
  if (from < end && (code === 91 || code === 123)) {
    const place = new Cursor(text, from, end)
    const value = readLiteral(place)
    if (value !== undefined && place.skipBlanks() === -1) return value
  }
  const content = text.slice(from, trimEnd(text, from, end))
  // Text to type that ends with a literal \n presses Enter.
  return content.endsWith('\\n') ? `${content.slice(0, -2)}\n` : content
}
