import { Chain } from '../chain.ts'
import type { Grammar } from '../grammar.ts'
import type { Intents } from '../intent.ts'
import { Operation } from '../piece.ts'
import type { Space } from '../screen.ts'
import { pointOf } from './points.ts'
import { Call, type Fields, type Value } from './value.ts'

const nothing: Intents = []

/** What a call says to do by this verb, its own name or one among its fields. */
export function operationOf(call: Call, verb: string, grammar: Grammar, space: Space): Operation {
  const { fields } = call
  const nested = verb === 'Sequence' ? fields.get('actions') : undefined
  if (Array.isArray(nested)) return sequence(call, nested, grammar, space)
  name(call)
  return named(verb, fields, grammar, space)
}

/** What a verb says to do with arguments that all have names. */
function named(verb: string, fields: Fields, grammar: Grammar, space: Space): Operation {
  return new Operation(meaningOf(verb, fields, grammar, space) ?? nothing, fields.start, fields.end)
}

export function meaningOf(verb: string, fields: Fields, grammar: Grammar, space: Space): Intents | undefined {
  const action = verb === 'do' ? fields.get('action') : undefined
  return grammar.understand(typeof action === 'string' ? action : verb, fields, grammar.dialect, space)
}

/** A call may hold others in a list, which are then done in order. */
function sequence({ fields }: Call, nested: readonly Value[], grammar: Grammar, space: Space): Operation {
  const operations = new Chain<Operation>()
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

/** Gives the arguments that came without a name the one that their kind suggests. */
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

/** Whether a string is a place between tags, and no text. */
function isMarkedPlace(value: string): boolean {
  return value.startsWith('<') && pointOf(value) !== undefined
}
