import type { Grammar } from '../grammar.ts'
import type { Intents } from '../intent.ts'
import { LinkedList } from '../linked-list.ts'
import { Operation } from '../piece.ts'
import type { Reading } from '../reading.ts'
import { Cursor } from './cursor.ts'
import { readLiteral } from './literal.ts'
import { Fields, oneOf, type Value } from './value.ts'

const nameNames = oneOf('name function tool tool_name function_name')
const actionNames = oneOf('action action_type')
const textNames = oneOf('text thinking refusal')
const signatureNames = oneOf('thought thoughtSignature thought_signature')
const thoughtNames = oneOf('thought thoughts thinking reasoning reason intent')
const intentNames = oneOf('intent')
const memoryNames = oneOf('memory note')

/** The operations of an object, and the thought and memory beside them. */
export interface Found {
  readonly operations: LinkedList<Operation>
  thought?: string
  memory?: string
}

const maxDepth = 8
const argumentNames = oneOf('arguments args input parameters params action_inputs action_input')
/** Names under which APIs nest calls and lists of calls. */
const wrapperNames = oneOf(
  'function functionCall function_call toolUse tool_call tool_calls computer_call actions message messages ' +
    'choices candidates content parts output outputs steps',
)

/** Types of items that contain prose, or were already searched. */
const talk = new Set([
  'text',
  'output_text',
  'summary_text',
  'thinking',
  'redacted_thinking',
  'refusal',
  'message',
  'model_output',
])
const reasoning = new Set(['reasoning', 'thought'])

/** Finds operations in an object or list, through the envelopes that APIs wrap them in. */
export function operationsIn(object: Fields | readonly Value[], grammar: Grammar, reading: Reading): Found {
  const search = new EnvelopeSearch(grammar, reading)
  search.look(object, 0)
  return search.found
}

class EnvelopeSearch {
  readonly found: Found = { operations: new LinkedList() }
  readonly #grammar: Grammar
  readonly #reading: Reading

  constructor(grammar: Grammar, reading: Reading) {
    this.#grammar = grammar
    this.#reading = reading
  }

  /** Returns whether there is an operation. `source` is the object that contains it, if it is not `value` itself. */
  look(value: Value | undefined, depth: number, source?: Fields): boolean {
    if (depth > maxDepth) return false
    if (Array.isArray(value)) {
      let any = false
      for (const item of value) if (this.look(item, depth + 1, source)) any = true
      return any
    }
    if (!(value instanceof Fields)) return false
    const own = this.#grammar.understandObject?.(value, this.#grammar.dialect)
    if (own !== undefined) return this.#add(own, value, source ?? value)
    return (
      this.#named(value, depth, source) ||
      this.#wrapped(value, depth, source) ||
      this.#typed(value, depth, source)
    )
  }

  #add(intents: Intents, value: Fields, { start, end }: Fields): boolean {
    this.found.operations.add(new Operation(intents, start, end))
    note(value, this.found)
    return true
  }

  #say(verb: string, fields: Fields, value: Fields, source: Fields | undefined): boolean {
    const { understand, dialect } = this.#grammar
    if (fields !== value) think(fields.any(intentNames), this.found)
    return this.#add(understand(verb, fields, dialect, this.#reading.space) ?? [], value, source ?? value)
  }

  /** An object that names its operation, or a tool whose arguments do. */
  #named(value: Fields, depth: number, source: Fields | undefined): boolean {
    const name = value.any(nameNames)
    const action = value.any(actionNames)
    const inner = argumentsIn(value)
    if (typeof action === 'string') return this.#say(action, inner ?? value, value, source)
    if (typeof name !== 'string') return this.#noted(this.look(action, depth + 1, source), value)
    const verb = inner?.any(actionNames)
    if (typeof verb === 'string') return this.#say(verb, inner ?? value, value, source)
    // If the name is only that of a tool, its arguments may be an action.
    if (inner && !this.#grammar.knows(name) && this.look(inner, depth + 1, source ?? value))
      return this.#noted(true, value)
    return this.#say(name, inner ?? value, value, source)
  }

  #wrapped(value: Fields, depth: number, source: Fields | undefined): boolean {
    let any = false
    for (let field = value.first; field !== undefined; field = field.next) {
      const { number, value: inside } = field
      if (wrapperNames[number] === 0 || typeof inside !== 'object') continue
      if (this.look(inside, depth + 1, source)) any = true
    }
    if (!any) return false
    think(value.get('reasoning_content'), this.found)
    think(value.get('content'), this.found)
    return this.#noted(true, value)
  }

  #noted(any: boolean, value: Fields): boolean {
    if (any) note(value, this.found)
    return any
  }

  /** A list item with a type: prose, or an operation named by its type. */
  #typed(value: Fields, depth: number, source: Fields | undefined): boolean {
    const type = value.get('type')
    if (typeof type !== 'string') {
      const alone = value.first !== undefined && value.first === value.last
      if (alone || value.any(signatureNames) !== undefined) think(value.get('text'), this.found)
      return false
    }
    if (talk.has(type)) think(value.any(textNames), this.found)
    else if (reasoning.has(type)) this.look(value.get('summary'), depth + 1)
    else return this.#say(type, value, value, source)
    return false
  }
}

/** The arguments of a call, which some APIs encode as a JSON string. */
function argumentsIn(object: Fields): Fields | undefined {
  const value = object.any(argumentNames)
  if (value instanceof Fields) return value
  if (typeof value !== 'string') return undefined
  const read = readLiteral(new Cursor(value))
  if (read instanceof Fields) return read
  return value.trim() === '' ? new Fields() : undefined
}

function note(object: Fields, found: Found): void {
  think(object.any(thoughtNames), found)
  const memory = object.any(memoryNames)
  if (typeof memory === 'string' && memory.trim() !== '') {
    found.memory = found.memory === undefined ? memory.trim() : `${found.memory}\n${memory.trim()}`
  }
}

function think(value: Value | undefined, found: Found): void {
  if (typeof value !== 'string' || value.trim() === '') return
  found.thought = found.thought === undefined ? value.trim() : `${found.thought}\n${value.trim()}`
}
