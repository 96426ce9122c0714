import { Chain } from '../chain.ts'
import type { Grammar } from '../grammar.ts'
import { Operation } from '../piece.ts'
import type { Reading } from '../reading.ts'
import { Cursor } from './cursor.ts'
import { readLiteral } from './literal.ts'
import { Fields, oneOf, type Value } from './value.ts'

const nameNames = oneOf('name function tool tool_name function_name')
const actionNames = oneOf('action action_type')
const textNames = oneOf('text thinking')
const thoughtNames = oneOf('thought thoughts thinking reasoning reason cot explain')
const memoryNames = oneOf('memory note')

/** What an object comes to: its operations, and the thought and memory that it carries beside them. */
export interface Found {
  readonly operations: Chain<Operation>
  thought?: string
  memory?: string
}

const maxDepth = 8
const argumentNames = oneOf('arguments args input parameters params action_inputs action_input')
const lists = ['actions', 'tool_calls', 'output', 'content', 'parts', 'candidates', 'messages', 'choices']
const singles = [
  'function',
  'functionCall',
  'function_call',
  'message',
  'content',
  'tool_call',
  'computer_call',
]

/** Looks for operations in an object or a list of them, through the envelopes that interfaces wrap them in. */
export function operationsIn(object: Fields | readonly Value[], grammar: Grammar, reading: Reading): Found {
  const found: Found = { operations: new Chain() }
  look(object, grammar, reading, found, 0)
  return found
}

function look(
  value: Value | undefined,
  grammar: Grammar,
  reading: Reading,
  found: Found,
  depth: number,
): boolean {
  if (depth > maxDepth) return false
  if (Array.isArray(value)) {
    let any = false
    for (const item of value) if (look(item, grammar, reading, found, depth + 1)) any = true
    return any
  }
  if (!(value instanceof Fields)) return false
  const { operations } = found
  const say = (verb: string, fields: Fields) => {
    const intents = grammar.understand(verb, fields, grammar.dialect, reading.space) ?? []
    operations.add(new Operation(intents, value.start, value.end))
    note(value, found)
    return true
  }
  const own = grammar.understandObject?.(value, grammar.dialect)
  if (own !== undefined) {
    operations.add(new Operation(own, value.start, value.end))
    note(value, found)
    return true
  }
  const name = value.any(nameNames)
  const action = value.any(actionNames)
  const inner = argumentsIn(value)
  if (typeof name === 'string' && typeof action !== 'string') {
    const fields = inner ?? value
    const verb = fields.any(actionNames)
    return say(typeof verb === 'string' ? verb : name, fields)
  }
  if (typeof action === 'string') return say(action, inner ?? value)
  if (look(action, grammar, reading, found, depth + 1)) {
    note(value, found)
    return true
  }
  let any = false
  for (const key of singles) {
    const inside = value.get(key)
    if (inside instanceof Fields && look(inside, grammar, reading, found, depth + 1)) any = true
  }
  for (const key of lists) {
    const list = value.get(key)
    if (Array.isArray(list) && look(list, grammar, reading, found, depth + 1)) any = true
  }
  if (any) {
    note(value, found)
    return true
  }
  const type = value.get('type')
  if (typeof type !== 'string') {
    if (value.first !== undefined && value.first === value.last) think(value.get('text'), found)
    return false
  }
  if (type === 'text' || type === 'output_text' || type === 'thinking' || type === 'summary_text') {
    think(value.any(textNames), found)
    return false
  }
  if (type === 'reasoning') {
    look(value.get('summary'), grammar, reading, found, depth + 1)
    return false
  }
  return say(type, value)
}

/** The arguments of a call, which some interfaces write as a string of JSON. */
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
