import type { Point } from '../intent.ts'
import { learn, maxNames, numberOfName } from './names.ts'

/**
 * A literal as Python or JSON writes it. A call only stands where a family nests one in another, a point only
 * where the name of an argument says that it is one.
 */
export type Value = string | number | boolean | null | readonly Value[] | Fields | Call | Point

/** Names that may stand for one another: by the number of each name its rank from 1 on, 0 for others. */
export type Names = Uint8Array

/** Names in one string, the preferred first. */
export function oneOf(names: string): Names {
  const ranks = new Uint8Array(maxNames)
  for (const [rank, name] of names.split(' ').entries()) ranks[learn(name)] = rank + 1
  return ranks
}

/** One name with its value; `number` is that of the name. */
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

/** Names with values in the order they were written, and the span of the text they came from. */
export class Fields {
  first: Field | undefined = undefined
  last: Field | undefined = undefined
  start = 0
  end = 0

  /** The number is that of the name as it was read; one that is not known in its own case may be in another. */
  add(name: string, value: Value, number = 0): void {
    const field = new Field(name, number > 0 ? number : numberOfName(name), value)
    if (this.last === undefined) this.first = field
    else this.last.next = field
    this.last = field
  }

  /** These, with a value for a name that was not given. */
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

  /** The value of the best of several names that is given and not null. */
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

  /** The arguments without a name; most calls name all of theirs. */
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

/** A number, or a string that starts with one such as `"3 seconds"`. */
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
