import type { Style } from './style.ts'
import { type Column, formatTable } from './table.ts'

export type Format = 'table' | 'json' | 'name'

/** How the items of a list are printed. */
export interface ListView<Item> {
  readonly columns: readonly Column<Item>[]
  /** What `-o name` prints: what other commands accept. */
  readonly nameOf: (item: Item) => string
  /** Printed for a person in place of an empty table. */
  readonly empty: string
}

/** Prints results to stdout in the format that was asked for. */
export class Output {
  readonly format: Format
  readonly style: Style
  readonly #stream: NodeJS.WriteStream

  constructor(stream: NodeJS.WriteStream, format: Format, style: Style) {
    this.#stream = stream
    this.format = format
    this.style = style
  }

  /** Columns of a terminal; a pipe has no end. */
  get width(): number {
    return this.#stream.isTTY ? this.#stream.columns : Number.POSITIVE_INFINITY
  }

  write(text: string): void {
    this.#stream.write(text)
  }

  line(text = ''): void {
    this.write(`${text}\n`)
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value, undefined, 2))
  }

  list<Item>(items: readonly Item[], view: ListView<Item>): void {
    this.write(this.listText(items, view))
  }

  /** A list in the format, ending with a line break if it is not empty. */
  listText<Item>(items: readonly Item[], view: ListView<Item>): string {
    if (this.format === 'json') return `${JSON.stringify(items, undefined, 2)}\n`
    if (this.format === 'name') return items.map(item => `${view.nameOf(item)}\n`).join('')
    if (items.length === 0) return this.#stream.isTTY ? `${view.empty}\n` : ''
    return formatTable(items, view.columns, this)
  }

  /** One thing: its fields below each other, its JSON, or its name. */
  record(
    value: unknown,
    { name, fields }: { name: string; fields: readonly (readonly [string, string])[] },
  ): void {
    if (this.format === 'json') this.json(value)
    else if (this.format === 'name') this.line(name)
    else this.#fields(fields)
  }

  #fields(fields: readonly (readonly [string, string])[]): void {
    const width = Math.max(...fields.map(([label]) => label.length))
    for (const [label, text] of fields)
      if (text !== '') this.line(`${this.style.bold(label.padEnd(width))}  ${text}`)
  }

  /** What was done to something: a sentence for a person, or the thing. */
  done(value: unknown, name: string, sentence: string): void {
    if (this.format === 'json') this.json(value)
    else this.line(this.format === 'name' ? name : sentence)
  }
}
