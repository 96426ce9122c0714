import type { Intent, Intents } from '../intent.ts'
import { type Kind, Operation } from '../piece.ts'
import type { Reading } from '../reading.ts'
import { readCall } from './call.ts'
import { isBlank, nameEnd, nextLineWithin, skipBlanks, startsName } from './characters.ts'
import { Cursor } from './cursor.ts'
import type { Call } from './value.ts'

/** Code with branches or loops cannot be understood without running it. */
const control = new Set(
  'for while if elif else with def class try except finally return lambda async'.split(' '),
)

const words: Readonly<Record<string, Intent>> = {
  DONE: { kind: 'finished' },
  FAIL: { kind: 'failed' },
  WAIT: { kind: 'wait', duration: 5000 },
}

interface Statement {
  readonly start: number
  readonly end: number
  readonly call?: boolean
  readonly intents: Intents | undefined
}

/**
 * Reads statements of one call each; the code is never run. Other text is added as `rest`, and unknown calls as unknown
 * text. A span with control flow produces no actions at all.
 */
export function readPython(
  reading: Reading,
  start: number,
  end: number,
  rest: Kind,
  understand: (call: Call) => Intents | undefined,
): void {
  const { text } = reading
  const statements = readStatements(reading, start, end, understand)
  reading.work += end - start
  if (statements === undefined) {
    reading.add(rest === 'free' ? 'unknown' : rest, start, end)
    return
  }
  for (const { start, end, intents, call } of statements) {
    const code = call || isCode(text, start)
    if (text.charCodeAt(start) === 59) reading.mark(start, end)
    else if (intents === undefined) reading.add(code ? 'unknown' : rest, start, end)
    else reading.act(start, end, new Operation(intents, start, end))
  }
}

const imports = new Set('import from global'.split(' '))

/** Whether a line is code although it is not a call: an import or a comment. */
function isCode(text: string, at: number): boolean {
  return text.charCodeAt(at) === 35 || imports.has(text.slice(at, Math.min(nameEnd(text, at), at + 8)))
}

/** The statements of a span; undefined if it contains control flow. */
function readStatements(
  reading: Reading,
  start: number,
  end: number,
  understand: (call: Call) => Intents | undefined,
): Statement[] | undefined {
  const { text } = reading
  const statements: Statement[] = []
  let at = start
  while (at < end) {
    const from = skipBlanks(text, at, end)
    if (from >= end) break
    if (text.charCodeAt(from) === 59) {
      statements.push({ start: from, end: from + 1, intents: undefined })
      at = from + 1
      continue
    }
    const stop = startsName(text.charCodeAt(from)) ? Math.min(nameEnd(text, from), end) : from
    const name = stop - from <= 7 ? text.slice(from, stop) : ''
    if (control.has(name) && isFlow(text, stop, end)) return undefined
    if (stop > from && stop < end && text.charCodeAt(stop) === 40) {
      const cursor = new Cursor(text, from, end)
      const call = readCall(cursor, false)
      reading.work += cursor.at - from
      if (call !== undefined && endsStatement(text, cursor.at, end)) {
        statements.push({ start: from, end: cursor.at, call: true, intents: understand(call) })
        at = cursor.at
        continue
      }
      at = cursor.openString ? end : nextLineWithin(text, cursor.at, end)
      statements.push({ start: from, end: at, call: true, intents: undefined })
      continue
    }
    at = imports.has(name) ? importEnd(text, from, end) : nextLineWithin(text, from, end)
    const word = Object.hasOwn(words, name) && skipBlanks(text, stop, at) === at ? words[name] : undefined
    statements.push({ start: from, end: word ? stop : at, intents: word })
  }
  return statements
}

/** The end of an import; another statement may follow on the same line. */
function importEnd(text: string, at: number, end: number): number {
  while (at < end && text.charCodeAt(at) !== 10 && text.charCodeAt(at) !== 59) at++
  return at
}

/** A keyword starts control flow only before a condition, a parenthesis or a colon; in prose it is a normal word. */
function isFlow(text: string, at: number, end: number): boolean {
  const code = text.charCodeAt(at)
  if (at < end && !isBlank(code) && code !== 58 && code !== 40) return false
  const line = nextLineWithin(text, at, end)
  return text.slice(at, line).includes(':') || text.slice(at, line).includes('(')
}

function endsStatement(text: string, at: number, end: number): boolean {
  while (at < end && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)) at++
  const code = text.charCodeAt(at)
  return at >= end || code === 10 || code === 13 || code === 59 || code === 35 || code === 96
}
