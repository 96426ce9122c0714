/** A literal as Python or JSON writes it. A call only stands where a family nests one in another. */
export type Value = string | number | boolean | null | readonly Value[] | Fields | Call

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

  /** The first of several names that is given and not null. */
  any(...names: string[]): Value | undefined {
    for (const name of names) {
      const value = this.get(name)
      if (value !== undefined && value !== null) return value
    }
    return undefined
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
