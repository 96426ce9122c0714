import type { Intents } from './intent.ts'
import type { Link } from './linked-list.ts'

/**
 * The kind of a span. `free` is unlabelled text before or between actions: it becomes a thought if an action follows,
 * and unknown otherwise.
 */
export type Kind = 'action' | 'thought' | 'memory' | 'unknown' | 'free'

/** One operation of a call or object, and its span. */
export class Operation implements Link<Operation> {
  intents: Intents
  readonly start: number
  readonly end: number
  /** Set if there is no action for it. */
  refused = false
  /** An earlier operation that includes this one, such as the press of a drag. */
  partOf: Operation | undefined = undefined
  /** The next operation of the same call or object. */
  next: Operation | undefined = undefined

  constructor(intents: Intents, start: number, end: number) {
    this.intents = intents
    this.start = start
    this.end = end
  }
}

/** A thought and memory given as fields of an object. */
export interface Aside {
  readonly thought?: string
  readonly memory?: string
}

/** A span of the text. Pieces do not overlap, and everything outside pieces and markup is whitespace. */
export class Piece implements Link<Piece> {
  kind: Kind
  readonly start: number
  readonly end: number
  /** The separator between it and the preceding piece of the same kind. */
  readonly separator: string
  /** The first of its operations. */
  readonly operation: Operation | undefined
  readonly aside: Aside | undefined
  next: Piece | undefined

  constructor(
    kind: Kind,
    start: number,
    end: number,
    separator: string,
    operation?: Operation,
    aside?: Aside,
  ) {
    this.next = undefined
    this.kind = kind
    this.start = start
    this.end = end
    this.separator = separator
    this.operation = operation
    this.aside = aside
  }
}
