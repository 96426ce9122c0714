import { codeAt, isBlank, skipBlanks } from './characters.ts'
import type { Search } from './search.ts'
import { Call } from './value.ts'

const open = '<point>'
const close = '</point>'
const maxPointLength = 60

/**
 * Reads a call without parentheses, as OS-Atlas writes it: a name in capitals, then a point or, in square brackets, a
 * text or a direction. Nothing but a token may follow on its line.
 */
export function readBareCall(
  text: string,
  start: number,
  stop: number,
  end: number,
  brackets: Search,
): Call | undefined {
  const at = stop + 1
  if (!isInCapitals(text, start, stop)) return undefined
  const call = new Call(text.slice(start, stop), start)
  if (text.startsWith(open, at)) {
    const place = text.slice(at, Math.min(end, at + maxPointLength))
    const length = place.indexOf(close)
    if (length < 0) return undefined
    call.fields.add('point', place.slice(0, length + close.length))
    call.fields.end = at + length + close.length
  } else if (codeAt(text, at, end) === 91) {
    const last = brackets.next(at)
    if (last < 0 || last >= end) return undefined
    const said = text.slice(at + 1, last).trim()
    call.fields.add('content', said)
    call.fields.add('direction', said)
    call.fields.end = last + 1
  } else return undefined
  return endsLine(text, call.fields.end, end) ? call : undefined
}

function isInCapitals(text: string, start: number, stop: number): boolean {
  for (let at = start; at < stop; at++) {
    const code = text.charCodeAt(at)
    if (code !== 95 && (code < 65 || code > 90)) return false
  }
  return stop - start > 1
}

function endsLine(text: string, at: number, end: number): boolean {
  while (at < end && isBlank(text.charCodeAt(at)) && text.charCodeAt(at) !== 10) at++
  const code = codeAt(text, at, end)
  return code === 10 || code === 60 || skipBlanks(text, at, end) === end
}
