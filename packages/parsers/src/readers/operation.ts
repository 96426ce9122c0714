import type { Grammar } from '../grammar.ts'
import type { Intents } from '../intent.ts'
import { LinkedList } from '../linked-list.ts'
import { Operation } from '../piece.ts'
import type { Space } from '../screen.ts'
import { pointOf } from './points.ts'
import { Call, type Fields, type Value } from './value.ts'

const nothing: Intents = []

/** The operation of a call. `verb` is its name or the value of one of its fields. */
export function operationOf(call: Call, verb: string, grammar: Grammar, space: Space): Operation {
  const { fields } = call
  const nested = verb === 'Sequence' ? fields.get('actions') : undefined
  if (Array.isArray(nested)) return sequence(call, nested, grammar, space)
  name(call)
  return named(verb, fields, grammar, space)
}

/** The operation of a verb whose arguments are all named. */
function named(verb: string, fields: Fields, grammar: Grammar, space: Space): Operation {
  return new Operation(meaningOf(verb, fields, grammar, space) ?? nothing, fields.start, fields.end)
}

export function meaningOf(verb: string, fields: Fields, grammar: Grammar, space: Space): Intents | undefined {
  const action = verb === 'do' ? fields.get('action') : undefined
  return grammar.understand(typeof action === 'string' ? action : verb, fields, grammar.dialect, space)
}

/** A call can contain a list of others, which are performed in order. */
function sequence({ fields }: Call, nested: readonly Value[], grammar: Grammar, space: Space): Operation {
  const operations = new LinkedList<Operation>()
  for (const inner of nested) {
    let operation = inner instanceof Call ? operationOf(inner, inner.name, grammar, space) : undefined
    while (operation !== undefined) {
      const { next }: Operation = operation
      operations.add(operation)
      operation = next
    }
  }
  return operations.first ?? new Operation(nothing, fields.start, fields.end)
}

/** Gives positional arguments the name that their type suggests. */
function name(call: Call): void {
  const { positional, fields } = call
  if (positional.length === 0) return
  const [first, second] = positional
  if (typeof first === 'number') {
    if (second === undefined) fields.add('value', first)
    else fields.add('point', positional)
  } else if (typeof first === 'string' && !isMarkedPlace(first)) {
    fields.add('content', first)
    if (typeof second === 'string') fields.add('keys', positional)
  } else if (first !== undefined) {
    fields.add('point', first)
    if (typeof second === 'string' && !isMarkedPlace(second)) fields.add('direction', second)
    else if (typeof second !== 'number' && second !== undefined) fields.add('end_point', second)
  }
}

/** Whether a string is a point between tags. */
function isMarkedPlace(value: string): boolean {
  return value.startsWith('<') && pointOf(value) !== undefined
}
