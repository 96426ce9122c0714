import { Chain } from '../chain.ts'
import type { Grammar } from '../grammar.ts'
import type { Intents } from '../intent.ts'
import { type Kind, Operation } from '../piece.ts'
import type { Reading } from '../reading.ts'
import { meaningOf } from '../vocabulary/vocabulary.ts'
import { readArguments } from './call.ts'
import { isBlank, nameEnd, nextLineWithin, skipBlanks, startsName } from './characters.ts'
import { Cursor } from './cursor.ts'
import { operationsIn } from './envelope.ts'
import { readFunction } from './functions.ts'
import { readLiteral } from './literal.ts'
import { markupEnd } from './markup.ts'
import { nameIn } from './names.ts'
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
  readonly #cursor: Cursor
  #rest: Kind = 'unknown'
  /** Start of the text that belongs to nothing yet. */
  #from = 0
  #first = true
  /** How many tool-call tags are open, where the text has any at all. */
  #open = 0

  constructor(reading: Reading, grammar: Grammar) {
    this.#reading = reading
    this.#grammar = grammar
    this.#cursor = new Cursor(reading.text)
  }

  find(start: number, end: number, rest: Kind, calls: Calls): void {
    const { objects } = this.#grammar
    const cursor = this.#cursor
    const { text } = cursor
    cursor.at = this.#from = start
    cursor.end = end
    this.#rest = rest
    this.#first = true
    this.#open = 0
    this.#reading.work += end - start
    while (cursor.at < end) {
      const code = text.charCodeAt(cursor.at)
      if (startsName(code)) {
        if (!this.#name(calls)) this.#first = false
      } else if (code === 60 || code === 96) {
        if (!this.#tag()) {
          cursor.at++
          this.#first = code === 60
        }
      } else if (
        objects &&
        (code === 123 || (code === 91 && text.charCodeAt(skipBlanks(text, cursor.at + 1, end)) === 123))
      ) {
        this.#object()
        this.#first = false
      } else {
        if (code === 10) this.#first = true
        else if (!isBlank(code)) this.#first = false
        cursor.at++
      }
    }
    this.#reading.add(rest, this.#from, end)
  }

  /** Ends the text before `start` and goes on at `end`. */
  #take(start: number, end: number): void {
    if (this.#from < start) this.#reading.add(this.#rest, this.#from, start)
    this.#from = this.#cursor.at = end
  }

  #name(calls: Calls): boolean {
    const cursor = this.#cursor
    const { text } = cursor
    const start = cursor.at
    const number = cursor.readName(true)
    const stop = cursor.at
    if (this.#grammar.words.size > 0 && this.#word(start, stop)) return true
    if (calls === 'nowhere' || !this.#grammar.calls) return false
    const code = cursor.code()
    if (code === 40) {
      const name = nameIn(text, start, stop, number)
      if (calls !== 'anywhere' && !this.#believes(calls, name)) return false
      this.#call(start, name)
      return true
    }
    return code === 32 && this.#twoWords(calls, start)
  }

  /** A call whose name has a blank in it, such as `left click(…)`; the cursor stands on the blank. */
  #twoWords(calls: Calls, start: number): boolean {
    const cursor = this.#cursor
    const { text, at, end } = cursor
    const stop = nameEnd(text, at + 1)
    if (text.charCodeAt(stop) !== 40 || stop >= end || stop - start > 40) return false
    const name = text.slice(start, stop)
    if (meaningOf(name) === undefined || (calls !== 'anywhere' && !this.#first)) return false
    cursor.at = stop
    this.#call(start, name)
    return true
  }

  /** Whether a call that no label announces is one: by its place in the line, or by its name alone. */
  #believes(calls: Calls, name: string): boolean {
    return (calls === 'by name' || this.#first) && this.#grammar.knows(name)
  }

  /** Reads a call whose name started at `start`; the cursor stands on its bracket. */
  #call(start: number, name: string): void {
    const cursor = this.#cursor
    const call = new Call(name, start)
    cursor.openString = false
    const whole = readArguments(cursor, call, true)
    const { at, end, text } = cursor
    this.#reading.work += at - start
    if (whole) {
      this.#take(start, at)
      this.#reading.act(start, at, this.#operation(call, name))
      this.#first = false
      return
    }
    const stop = cursor.openString ? end : nextLineWithin(text, at, end)
    this.#take(start, stop)
    this.#reading.add('unknown', start, stop)
    this.#first = true
  }

  /** What a call says to do. */
  #operation(call: Call, verb: string): Operation {
    const { fields } = call
    const nested = verb === 'Sequence' ? fields.get('actions') : undefined
    if (Array.isArray(nested)) return this.#sequence(call, nested)
    name(call)
    const action = verb === 'do' ? fields.get('action') : undefined
    const { dialect } = this.#grammar
    const said = typeof action === 'string' ? action : verb
    const intents = this.#grammar.understand(said, fields, dialect, this.#reading.space) ?? nothing
    return new Operation(intents, fields.start, fields.end)
  }

  /** A call may hold others in a list, which are then done in order. */
  #sequence({ fields }: Call, nested: readonly Value[]): Operation {
    const operations = new Chain<Operation>()
    for (const inner of nested) {
      let operation = inner instanceof Call ? this.#operation(inner, inner.name) : undefined
      while (operation !== undefined) {
        const { next }: Operation = operation
        operations.add(operation)
        operation = next
      }
    }
    return operations.first ?? new Operation(nothing, fields.start, fields.end)
  }

  #word(start: number, stop: number): boolean {
    const { text, end: limit } = this.#cursor
    const intent = this.#grammar.words.get(text.slice(start, stop))
    if (intent === undefined) return false
    const bracketed = text.charCodeAt(start - 1) === 91 && text.charCodeAt(stop) === 93
    const after = skipBlanks(text, stop, limit)
    const next = text.charCodeAt(after)
    const alone =
      this.#first && (after >= limit || next === 60 || next === 96 || text.slice(stop, after).includes('\n'))
    if (!bracketed && !alone) return false
    const from = bracketed ? start - 1 : start
    const end = bracketed ? stop + 1 : stop
    this.#take(from, end)
    this.#reading.act(from, end, new Operation(intent, from, end))
    return true
  }

  #object(): void {
    const cursor = this.#cursor
    const start = cursor.at
    const value = readLiteral(cursor)
    const end = cursor.at
    this.#reading.work += end - start
    if (!(value instanceof Fields) && !Array.isArray(value)) {
      cursor.at = start + 1
      return
    }
    // Beside tool-call tags an object that names no tool is talk about a call, not one.
    const named = value instanceof Fields && value.get('name') !== undefined
    if (this.#open <= 0 && !named && this.#reading.hasToolCalls()) return
    const { operations, thought, memory } = operationsIn(value, this.#grammar, this.#reading)
    if (operations.first === undefined) return
    this.#take(start, end)
    this.#reading.act(start, end, operations.first, thought, memory)
  }

  #tag(): boolean {
    const cursor = this.#cursor
    const { text, at: start } = cursor
    if (
      this.#grammar.functions &&
      (text.startsWith('<function', start) || text.startsWith('<invoke', start))
    ) {
      const call = readFunction(cursor)
      if (call !== undefined) {
        const end = cursor.at
        this.#reading.work += end - start
        this.#take(start, end)
        const verb = call.fields.get('action')
        this.#reading.act(start, end, this.#operation(call, typeof verb === 'string' ? verb : call.name))
        return true
      }
      cursor.at = start
    }
    const end = markupEnd(text, start, cursor.end)
    if (end === 0) return false
    if (text.startsWith('<tool_call', start)) this.#open++
    else if (text.startsWith('</tool_call', start)) this.#open--
    this.#take(start, end)
    this.#reading.mark(start, end)
    this.#first = true
    return true
  }
}

const nothing: Intents = []

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
