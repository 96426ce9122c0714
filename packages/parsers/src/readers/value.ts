import type { Point } from '../intent.ts'
import { internName, maxNames, numberOfName } from './names.ts'

/**
 * A literal of Python or JSON. A call only occurs where a family nests one in another, and a point only where the name
 * of the argument implies it.
 */
export type Value = string | number | boolean | null | readonly Value[] | Fields | Call | Point

/** Alternative names: the rank of each name by its number, starting at 1; 0 for all other names. */
export type Names = Uint8Array

/** Alternative names from one string, preferred first. */
export function oneOf(names: string): Names {
  const ranks = new Uint8Array(maxNames)
  for (const [rank, name] of names.split(' ').entries()) ranks[internName(name)] = rank + 1
  return ranks
}

/** A name with its value; `number` is that of the name. */
export class Field {
  readonly name: string
  readonly number: number
  readonly value: Value
  next: Field | undefined

  constructor(name: string, number: number, value: Value) {
    this.next = undefined
    this.name = name
    this.number = number
    this.value = value
  }
}

/** Fields in the order of the text, and the span that they came from. */
export class Fields {
  first: Field | undefined = undefined
  last: Field | undefined = undefined
  start = 0
  end = 0

  /**
   * Adds a field. `number` is that of the name as written; if it is unknown, the name is also looked up in lowercase.
   */
  add(name: string, value: Value, number = 0): void {
    const field = new Field(name, number > 0 ? number : numberOfName(name), value)
    if (this.last === undefined) this.first = field
    else this.last.next = field
    this.last = field
  }

  /** These fields, with a default for a name that is not given. */
  or(name: string, value: Value): Fields {
    if ((this.get(name) ?? null) !== null) return this
    const fields = new Fields()
    for (let field = this.first; field !== undefined; field = field.next)
      fields.add(field.name, field.value, field.number)
    fields.add(name, value)
    fields.start = this.start
    fields.end = this.end
    return fields
  }

  clear(): void {
    this.first = this.last = undefined
  }

  names(): string[] {
    const names: string[] = []
    for (let field = this.first; field !== undefined; field = field.next) names.push(field.name)
    return names
  }

  get(name: string): Value | undefined {
    for (let field = this.first; field !== undefined; field = field.next) {
      if (field.name === name) return field.value
    }
    return undefined
  }

  /** The value of the most preferred name that is given and not null. */
  any(ranks: Names): Value | undefined {
    let best = maxNames
    let found: Value | undefined
    for (let field = this.first; field !== undefined; field = field.next) {
      const { number, value } = field
      const rank = ranks[number] ?? 0
      if (rank === 0 || rank >= best || value === null) continue
      best = rank
      found = value
    }
    return found
  }
}

/** `name(positional, field=value)`. */
export class Call {
  readonly name: string
  readonly fields: Fields
  #positional: Value[] | undefined = undefined

  constructor(name: string, start: number) {
    this.name = name
    this.fields = new Fields()
    this.fields.start = start
  }

  /** The positional arguments; most calls have none. */
  get positional(): readonly Value[] {
    return this.#positional ?? none
  }

  push(value: Value): void {
    if (this.#positional === undefined) this.#positional = [value]
    else this.#positional.push(value)
  }
}

const none: readonly Value[] = []

export function textOf(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'number' ? String(value) : undefined
}

/** A number, or the number at the start of a string such as `"3 seconds"`. */
export function numberOf(value: Value | undefined): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string' || value.length > 100) return undefined
  const number = Number.parseFloat(value)
  return Number.isFinite(number) ? number : undefined
}

export function flagOf(value: Value | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return undefined
  const word = value.toLowerCase()
  return word === 'true' ? true : word === 'false' ? false : undefined
}
