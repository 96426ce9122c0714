import { learn } from './words.ts'

/** A literal as Python or JSON writes it. A call only stands where a family nests one in another. */
export type Value = string | number | boolean | null | readonly Value[] | Fields | Call

/** Names that may stand for one another, each with its rank. */
export type Names = ReadonlyMap<string, number>

/** Names in one string, the preferred first. */
export function oneOf(names: string): Names {
  return new Map(names.split(' ').map((name, rank) => [learn(name), rank]))
}

/** Names with values in the order they were written, and the span of the text they came from. */
export class Fields {
  readonly names: string[] = []
  readonly values: Value[] = []
  start = 0
  end = 0

  add(name: string, value: Value): void {
    this.names.push(name)
    this.values.push(value)
  }

  get(name: string): Value | undefined {
    const at = this.names.indexOf(name)
    return at < 0 ? undefined : this.values[at]
  }

  /** The value of the best of several names that is given and not null. */
  any(names: Names): Value | undefined {
    let best = names.size
    let found: Value | undefined
    for (let at = 0; at < this.names.length; at++) {
      const rank = names.get(this.names[at] ?? '')
      const value = this.values[at]
      if (rank === undefined || rank >= best || value === null) continue
      best = rank
      found = value
    }
    return found
  }
}

/** `name(positional, field=value)`. */
export class Call {
  readonly name: string
  readonly positional: Value[] = []
  readonly fields = new Fields()

  constructor(name: string) {
    this.name = name
  }
}

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
