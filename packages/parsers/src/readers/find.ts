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

/** Where a call may stand: anywhere, anywhere or first in a line if its name is known, or nowhere. */
export type Calls = 'anywhere' | 'by name' | 'first in line' | 'nowhere'

/**
 * Finds the actions of spans of a text, each in one pass. What is no action is added as `rest`, apart from the markup
 * in it. A call that cannot be read takes its line with it, so that no call inside its strings is believed.
 */
export class Finder {
  readonly #reading: Reading
  readonly #grammar: Grammar
  #rest: Kind = 'unknown'
  #end = 0
  /** Start of the text that belongs to nothing yet. */
  #from = 0
  #first = true
  /** How many tool-call tags are open, where the text has any at all. */
  #open = 0
  /** How far the last lenient reading went. */
  #tried = 0
  /** The quote that no object further on can end a string with. */
  #missing = 0
  /** For the signs of what may be found; each looks at the text once in all. */
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
    // An action stands where a label says so; elsewhere it is looked for where one can be.
    let at = calls === 'anywhere' || this.#mayHold(start, end) ? start : end
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

  /** Whether the span has a character that begins an action or markup; most prose has none. */
  #mayHold(start: number, end: number): boolean {
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

  /** Ends the text before `start` and goes on at `end`. */
  #take(start: number, end: number): void {
    if (this.#from < start) this.#reading.add(this.#rest, this.#from, start)
    this.#from = end
  }

  /** Reads what the name at `start` begins, and answers where the text goes on. So do the readers below. */
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
        if (calls === 'anywhere' || this.#believes(calls, name)) return this.#call(start, stop, name)
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

  /** Whether a span is all there is after the label of an action, as in `Action: wait`. */
  #isAll(start: number, stop: number): boolean {
    const { text } = this.#reading
    return (
      this.#grammar.calls &&
      skipBlanks(text, stop, this.#end) === this.#end &&
      skipBlanks(text, this.#from, this.#end) === start &&
      meaningOf(text.slice(start, stop)) !== undefined
    )
  }

  /** The name of a call that has a blank in it, such as `left click(…)`. */
  #twoWords(start: number, stop: number): string | undefined {
    const { text } = this.#reading
    if (text.charCodeAt(stop) !== 40 || stop >= this.#end || stop - start > 40) return undefined
    const name = text.slice(start, stop)
    return meaningOf(name) && name
  }

  /** A call of a known name without round brackets, which stands first in its line. */
  #bare(start: number, stop: number): Call | undefined {
    const { text } = this.#reading
    this.#brackets ??= new Search(text, ']')
    const call = readBareCall(text, start, stop, this.#end, this.#brackets)
    return call && meaningOf(call.name) && call
  }

  /** Whether a call that no label announces is one: by its place in the line, or by its name alone. */
  #believes(calls: Calls, name: string): boolean {
    return (calls === 'by name' || this.#first) && this.#grammar.knows(name)
  }

  /** Reads a call whose name starts at `start`, and its arguments at `bracket`. */
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
    // An object in doubt takes its line with it, so that no other in it is believed.
    if (cursor.inDoubt) return end
    if (!(value instanceof Fields) && !Array.isArray(value)) return start + 1
    // Beside tool-call tags an object that names no tool is talk about a call, not one.
    const named = value instanceof Fields && value.get('name') !== undefined
    if (this.#open <= 0 && !named && this.#reading.hasToolCalls()) return end
    const found = operationsIn(value, this.#grammar, this.#reading)
    const { first } = found.operations
    if (first === undefined) return cursor.lenient ? start + 1 : end
    this.#take(start, end)
    this.#reading.act(start, end, first, found)
    return end
  }

  /** Reads an object or a list; one that strict reading refuses once more, unless another such try went past here. */
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

/** An object, or a list that an object begins. */
function opensObject(text: string, at: number, end: number, code: number): boolean {
  return code === 123 || (code === 91 && codeAt(text, skipBlanks(text, at + 1, end), end) === 123)
}

/** A span that is gone through as fast as it is searched. */
const shortSpan = 300
