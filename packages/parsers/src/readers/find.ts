import type { Grammar } from '../grammar.ts'
import { type Kind, Operation } from '../piece.ts'
import type { Reading } from '../reading.ts'
import { meaningOf } from '../vocabulary/vocabulary.ts'
import { readBareCall } from './bare-call.ts'
import { readArguments } from './call.ts'
import { codeAt, isBlank, nameEnd, nextLineWithin, opensCall, skipBlanks, startsName } from './characters.ts'
import { Cursor } from './cursor.ts'
import { operationsIn } from './envelope.ts'
import { readFunction } from './functions.ts'
import { readLiteral } from './literal.ts'
import { markupEnd } from './markup.ts'
import { nameIn, nameStop, readName } from './names.ts'
import { operationOf } from './operation.ts'
import { readPlainArguments } from './plain-call.ts'
import { Search } from './search.ts'
import { Call, Fields, type Value } from './value.ts'

/** Where calls are accepted: anywhere, anywhere or at the start of a line if the name is known, or nowhere. */
export type Calls = 'anywhere' | 'by name' | 'first in line' | 'nowhere'

/**
 * Finds the actions in spans of a text, each in one pass. Everything else except markup is added as `rest`. A call that
 * cannot be read discards its whole line, so that calls inside its strings are not executed.
 */
export class Finder {
  readonly #reading: Reading
  readonly #grammar: Grammar
  #rest: Kind = 'unknown'
  #end = 0
  /** The start of the text that has not been assigned yet. */
  #from = 0
  #first = true
  /** The number of open tool-call tags. */
  #open = 0
  /** Where the last lenient attempt ended. */
  #tried = 0
  /** A quote that is known not to occur further on. */
  #missing = 0
  /** Searches for the characters that can start an action; each scans the text only once. */
  #searches: readonly Search[] | undefined = undefined
  #brackets: Search | undefined = undefined

  constructor(reading: Reading, grammar: Grammar) {
    this.#reading = reading
    this.#grammar = grammar
  }

  find(start: number, end: number, rest: Kind, calls: Calls): void {
    const { objects } = this.#grammar
    const { text } = this.#reading
    this.#from = start
    this.#end = end
    this.#rest = rest
    this.#first = true
    this.#open = 0
    this.#missing = 0
    this.#reading.work += end - start
    // After an action label the whole span is read; elsewhere only if it can contain an action.
    let at = calls === 'anywhere' || this.#mayContainAction(start, end) ? start : end
    while (at < end) {
      const code = text.charCodeAt(at)
      if (startsName(code)) at = this.#name(at, calls)
      else if (code === 60 || code === 96) at = this.#tag(at, code)
      else if (objects && opensObject(text, at, end, code)) at = this.#object(at)
      else {
        if (code === 10) this.#first = true
        else if (!isBlank(code)) this.#first = false
        at++
      }
    }
    this.#reading.add(rest, this.#from, end)
  }

  /** Whether the span has a character that can start an action or markup; most prose has none. */
  #mayContainAction(start: number, end: number): boolean {
    const { calls, objects, words } = this.#grammar
    if (words.size > 0 || end - start < shortSpan) return true
    const { text } = this.#reading
    const signs = calls ? (objects ? '<`({' : '<`(') : objects ? '<`{' : '<`'
    this.#searches ??= [...signs].map(sign => new Search(text, sign))
    return this.#searches.some(search => {
      const at = search.next(start)
      return at >= 0 && at < end
    })
  }

  /** Adds the text before `start` and continues at `end`. */
  #take(start: number, end: number): void {
    if (this.#from < start) this.#reading.add(this.#rest, this.#from, start)
    this.#from = end
  }

  /** Reads what starts with the name at `start`, and returns where to continue. So do the methods below. */
  #name(start: number, calls: Calls): number {
    const { text } = this.#reading
    const end = this.#end
    const number = readName(text, start, end, true)
    const stop = nameStop
    if (this.#grammar.words.size > 0) {
      const after = this.#word(start, stop)
      if (after > 0) return after
    }
    if (calls !== 'nowhere' && this.#grammar.calls) {
      const code = codeAt(text, stop, end)
      if (opensCall(code)) {
        const name = nameIn(text, start, stop, number)
        if (calls === 'anywhere' || this.#accepts(calls, name)) return this.#call(start, stop, name)
      } else if (code === 32) {
        const bracket = nameEnd(text, stop + 1)
        const name = this.#twoWords(start, bracket)
        if (name !== undefined && (calls === 'anywhere' || this.#first))
          return this.#call(start, bracket, name)
        const bare = calls === 'anywhere' && this.#first ? this.#bare(start, stop) : undefined
        if (bare !== undefined) return this.#called(bare, bare.fields.end)
      }
    }
    if (calls === 'anywhere' && this.#isAll(start, stop))
      return this.#called(new Call(text.slice(start, stop), start), stop)
    this.#first = false
    return stop
  }

  /** Whether a span is everything after an action label, as in `Action: wait`. */
  #isAll(start: number, stop: number): boolean {
    const { text } = this.#reading
    return (
      this.#grammar.calls &&
      skipBlanks(text, stop, this.#end) === this.#end &&
      skipBlanks(text, this.#from, this.#end) === start &&
      meaningOf(text.slice(start, stop)) !== undefined
    )
  }

  /** The name of a call that contains a space, such as `left click(…)`. */
  #twoWords(start: number, stop: number): string | undefined {
    const { text } = this.#reading
    if (text.charCodeAt(stop) !== 40 || stop >= this.#end || stop - start > 40) return undefined
    const name = text.slice(start, stop)
    return meaningOf(name) && name
  }

  /** A call of a known name without parentheses at the start of a line. */
  #bare(start: number, stop: number): Call | undefined {
    const { text } = this.#reading
    this.#brackets ??= new Search(text, ']')
    const call = readBareCall(text, start, stop, this.#end, this.#brackets)
    return call && meaningOf(call.name) && call
  }

  /** Whether to accept a call without a label, by its position in the line or by its name alone. */
  #accepts(calls: Calls, name: string): boolean {
    return (calls === 'by name' || this.#first) && this.#grammar.knows(name)
  }

  /** Reads a call whose name starts at `start` and whose arguments start at `bracket`. */
  #call(start: number, bracket: number, name: string): number {
    const { text } = this.#reading
    const call = new Call(name, start)
    const plain = readPlainArguments(text, bracket + 1, this.#end, call.fields)
    if (plain > 0) return this.#called(call, plain)
    call.fields.clear()
    const cursor = new Cursor(text, bracket, this.#end)
    const whole = readArguments(cursor, call, true)
    this.#reading.work += cursor.at - start
    if (whole) return this.#called(call, cursor.at)
    const stop = cursor.openString ? this.#end : nextLineWithin(text, cursor.at, this.#end)
    this.#take(start, stop)
    this.#reading.add('unknown', start, stop)
    this.#first = true
    return stop
  }

  #called(call: Call, end: number): number {
    const { fields, name } = call
    fields.end = end
    this.#reading.work += end - fields.start
    this.#take(fields.start, end)
    this.#reading.act(fields.start, end, operationOf(call, name, this.#grammar, this.#reading.space))
    this.#first = false
    return end
  }

  #word(start: number, stop: number): number {
    const { text } = this.#reading
    const limit = this.#end
    const intent = this.#grammar.words.get(text.slice(start, stop))
    if (intent === undefined) return 0
    const bracketed = text.charCodeAt(start - 1) === 91 && text.charCodeAt(stop) === 93
    const after = skipBlanks(text, stop, limit)
    const next = text.charCodeAt(after)
    const alone =
      this.#first && (after >= limit || next === 60 || next === 96 || text.slice(stop, after).includes('\n'))
    if (!bracketed && !alone) return 0
    const from = bracketed ? start - 1 : start
    const end = bracketed ? stop + 1 : stop
    this.#take(from, end)
    this.#reading.act(from, end, new Operation(intent, from, end))
    return end
  }

  #object(start: number): number {
    const cursor = new Cursor(this.#reading.text, start, this.#end)
    const value = this.#literal(cursor)
    const end = cursor.at
    this.#first = false
    // An ambiguous object discards its line, so that no other object in it is executed.
    if (cursor.isAmbiguous) return end
    if (!(value instanceof Fields) && !Array.isArray(value)) return start + 1
    // In a text with tool-call tags, an object outside of them that names no tool only mentions a call.
    const named = value instanceof Fields && value.get('name') !== undefined
    if (this.#open <= 0 && !named && this.#reading.hasToolCalls()) return end
    const found = operationsIn(value, this.#grammar, this.#reading)
    const { first } = found.operations
    if (first === undefined) return cursor.lenient ? start + 1 : end
    this.#take(start, end)
    this.#reading.act(start, end, first, found)
    return end
  }

  /**
   * Reads an object or a list, strictly and then leniently, unless an earlier lenient attempt already passed this
   * position.
   */
  #literal(cursor: Cursor): Value | undefined {
    const start = cursor.at
    cursor.missing = this.#missing
    const value = readLiteral(cursor)
    this.#missing = cursor.missing
    this.#reading.work += cursor.at - start
    if (value !== undefined || start < this.#tried) return value
    cursor.at = start
    cursor.lenient = true
    const lenient = readLiteral(cursor)
    this.#tried = cursor.at
    this.#reading.work += cursor.at - start
    return lenient
  }

  #tag(start: number, code: number): number {
    const { text } = this.#reading
    if (
      this.#grammar.functions &&
      (text.startsWith('<function', start) || text.startsWith('<invoke', start))
    ) {
      const cursor = new Cursor(text, start, this.#end)
      const call = readFunction(cursor)
      if (call !== undefined) {
        const end = cursor.at
        this.#reading.work += end - start
        this.#take(start, end)
        const action = call.fields.get('action')
        const verb = typeof action === 'string' ? action : call.name
        this.#reading.act(start, end, operationOf(call, verb, this.#grammar, this.#reading.space))
        return end
      }
    }
    const end = markupEnd(text, start, this.#end)
    if (end === 0) {
      this.#first = code === 60
      return start + 1
    }
    if (text.startsWith('<tool_call', start)) this.#open++
    else if (text.startsWith('</tool_call', start)) this.#open--
    this.#take(start, end)
    this.#reading.mark(start, end)
    this.#first = true
    return end
  }
}

/** Whether an object, or a list that starts with one, begins here. */
function opensObject(text: string, at: number, end: number, code: number): boolean {
  return code === 123 || (code === 91 && codeAt(text, skipBlanks(text, at + 1, end), end) === 123)
}

/** Reading such a short span is as fast as searching it. */
const shortSpan = 300
