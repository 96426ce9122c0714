import type { Grammar } from '../grammar.ts'
import { type Kind, Operation } from '../piece.ts'
import type { Reading } from '../reading.ts'
import { meaningOf } from '../vocabulary/vocabulary.ts'
import { readCall } from './call.ts'
import { isBlank, nameEnd, nextLineWithin, skipBlanks, startsName } from './characters.ts'
import { Cursor } from './cursor.ts'
import { operationsIn } from './envelope.ts'
import { readFunction } from './functions.ts'
import { readLiteral } from './literal.ts'
import { markupEnd } from './markup.ts'
import { Call, Fields, type Value } from './value.ts'

/** Where a call may stand: anywhere, anywhere or first in a line if its name is known, or nowhere. */
export type Calls = 'anywhere' | 'by name' | 'first in line' | 'nowhere'

/**
 * Finds the actions of a span in one pass. What is no action is added as `rest`, apart from the markup in
 * it. A call that cannot be read takes its line with it, so that no call inside its strings is believed.
 */
export class Finder {
  readonly #reading: Reading
  readonly #grammar: Grammar
  readonly #rest: Kind
  readonly #end: number
  #at: number
  /** Start of the text that belongs to nothing yet. */
  #from: number
  #first = true
  /** How many tool-call tags are open, where the text has any at all. */
  #open = 0

  constructor(reading: Reading, grammar: Grammar, start: number, end: number, rest: Kind) {
    this.#reading = reading
    this.#grammar = grammar
    this.#at = this.#from = start
    this.#end = end
    this.#rest = rest
  }

  find(calls: Calls): void {
    const { text } = this.#reading
    const { objects } = this.#grammar
    const end = this.#end
    this.#reading.work += end - this.#at
    while (this.#at < end) {
      const code = text.charCodeAt(this.#at)
      if (startsName(code)) {
        if (!this.#name(calls)) this.#first = false
      } else if (code === 60 || code === 96) {
        if (!this.#tag()) {
          this.#at++
          this.#first = code === 60
        }
      } else if (
        objects &&
        (code === 123 || (code === 91 && text.charCodeAt(skipBlanks(text, this.#at + 1, end)) === 123))
      ) {
        this.#object()
        this.#first = false
      } else {
        if (code === 10) this.#first = true
        else if (!isBlank(code)) this.#first = false
        this.#at++
      }
    }
    this.#reading.add(this.#rest, this.#from, end)
  }

  /** Ends the text before `start` and goes on at `end`. */
  #take(start: number, end: number): void {
    this.#reading.add(this.#rest, this.#from, start)
    this.#from = this.#at = end
  }

  #name(calls: Calls): boolean {
    const { text } = this.#reading
    const start = this.#at
    const stop = Math.min(nameEnd(text, start), this.#end)
    this.#at = stop
    if (this.#grammar.words.size > 0 && this.#word(start, stop)) return true
    if (calls === 'nowhere' || !this.#grammar.calls) return false
    const code = text.charCodeAt(stop)
    if (code === 40 && stop < this.#end) {
      if (calls !== 'anywhere' && !this.#believes(calls, text.slice(start, stop))) return false
      this.#call(start, start)
      return true
    }
    if (code !== 32) return false
    const next = nameEnd(text, stop + 1)
    if (text.charCodeAt(next) !== 40 || next >= this.#end || next - start > 40) return false
    const joined = text.slice(start, next)
    if (meaningOf(joined) === undefined || (calls !== 'anywhere' && !this.#first)) return false
    this.#call(start, stop + 1, joined)
    return true
  }

  /** Whether a call that no label announces is one: by its place in the line, or by its name alone. */
  #believes(calls: Calls, name: string): boolean {
    return (calls === 'by name' || this.#first) && this.#grammar.knows(name)
  }

  #call(start: number, at: number, verb?: string): void {
    const cursor = new Cursor(this.#reading.text, at, this.#end)
    const call = readCall(cursor, true)
    this.#reading.work += cursor.at - at
    if (call === undefined) {
      const stop = cursor.openString ? this.#end : nextLineWithin(this.#reading.text, cursor.at, this.#end)
      this.#take(start, start)
      this.#reading.add('unknown', start, stop)
      this.#from = this.#at = stop
      this.#first = true
      return
    }
    call.fields.start = start
    this.#take(start, cursor.at)
    this.#reading.act(start, cursor.at, this.#operations(call, verb ?? call.name))
    this.#first = false
  }

  /** A call may hold others in a list, which are then done in order. */
  #operations(call: Call, verb: string): Operation[] {
    const nested = verb === 'Sequence' ? call.fields.get('actions') : undefined
    if (Array.isArray(nested)) {
      return nested.flatMap((inner: Value) =>
        inner instanceof Call ? this.#operations(inner, inner.name) : [],
      )
    }
    const { fields } = call
    name(call)
    const action = verb === 'do' ? fields.get('action') : undefined
    const { dialect } = this.#grammar
    const said = typeof action === 'string' ? action : verb
    const intents = this.#grammar.understand(said, fields, dialect, this.#reading.space) ?? []
    return [new Operation(intents, fields.start, fields.end)]
  }

  #word(start: number, stop: number): boolean {
    const { text } = this.#reading
    const intent = this.#grammar.words.get(text.slice(start, stop))
    if (intent === undefined) return false
    const bracketed = text.charCodeAt(start - 1) === 91 && text.charCodeAt(stop) === 93
    const after = skipBlanks(text, stop, this.#end)
    const next = text.charCodeAt(after)
    const alone =
      this.#first &&
      (after >= this.#end || next === 60 || next === 96 || text.slice(stop, after).includes('\n'))
    if (!bracketed && !alone) return false
    const from = bracketed ? start - 1 : start
    const end = bracketed ? stop + 1 : stop
    this.#take(from, end)
    this.#reading.act(from, end, [new Operation([intent], from, end)])
    return true
  }

  #object(): void {
    const start = this.#at
    const cursor = new Cursor(this.#reading.text, start, this.#end)
    const value = readLiteral(cursor)
    this.#reading.work += cursor.at - start
    if (!(value instanceof Fields) && !Array.isArray(value)) {
      this.#at++
      return
    }
    this.#at = cursor.at
    // Beside tool-call tags an object that names no tool is talk about a call, not one.
    const named = value instanceof Fields && value.get('name') !== undefined
    if (this.#open <= 0 && !named && this.#reading.hasToolCalls()) return
    const { operations, thought, memory } = operationsIn(value, this.#grammar, this.#reading)
    if (operations.length === 0) return
    this.#take(start, cursor.at)
    this.#reading.act(start, cursor.at, operations, thought, memory)
  }

  #tag(): boolean {
    const { text } = this.#reading
    const start = this.#at
    if (
      this.#grammar.functions &&
      (text.startsWith('<function', start) || text.startsWith('<invoke', start))
    ) {
      const cursor = new Cursor(text, start, this.#end)
      const call = readFunction(cursor)
      if (call !== undefined) {
        this.#reading.work += cursor.at - start
        this.#take(start, cursor.at)
        const verb = call.fields.get('action')
        this.#reading.act(
          start,
          cursor.at,
          this.#operations(call, typeof verb === 'string' ? verb : call.name),
        )
        return true
      }
    }
    const end = markupEnd(text, start, this.#end)
    if (end === 0) return false
    if (text.startsWith('<tool_call', start)) this.#open++
    else if (text.startsWith('</tool_call', start)) this.#open--
    this.#take(start, end)
    this.#reading.mark(start, end)
    this.#first = true
    return true
  }
}

/** Gives the arguments that came without a name the one that their kind suggests. */
function name(call: Call): void {
  const { positional, fields } = call
  if (positional.length === 0) return
  const [first] = positional
  if (typeof first === 'number' && positional.length === 1) fields.add('value', first)
  else if (typeof first === 'number') fields.add('point', positional)
  else if (typeof first === 'string') fields.add('content', first)
  else if (first !== undefined) fields.add('point', first)
}
