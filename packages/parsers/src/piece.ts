import type { Link } from './chain.ts'
import type { Intents } from './intent.ts'

/**
 * What a span of the text is. `free` stands before or between actions without a label: the model's reasoning when an action follows,
 * unknown when none does.
 */
export type Kind = 'action' | 'thought' | 'memory' | 'unknown' | 'free'

/** One operation of a call or an object, and the span that says it. */
export class Operation implements Link<Operation> {
  intents: Intents
  readonly start: number
  readonly end: number
  /** Set when no action does what it wants. */
  refused = false
  /** The operation before it that does what it wants too. */
  partOf: Operation | undefined = undefined
  /** What the same call or object says to do after it. */
  next: Operation | undefined = undefined

  constructor(intents: Intents, start: number, end: number) {
    this.intents = intents
    this.start = start
    this.end = end
  }
}

/** Thought and memory that stand inside an object, as values. */
export interface Aside {
  readonly thought?: string
  readonly memory?: string
}

/** A span of the text. Pieces never overlap, and what they and the markup leave out is blank. */
export class Piece implements Link<Piece> {
  kind: Kind
  readonly start: number
  readonly end: number
  /** What joins it to a piece of the same kind before it. */
  readonly joint: string
  /** The first of what it says to do. */
  readonly operation: Operation | undefined
  readonly aside: Aside | undefined
  next: Piece | undefined

  constructor(kind: Kind, start: number, end: number, joint: string, operation?: Operation, aside?: Aside) {
    this.next = undefined
    this.kind = kind
    this.start = start
    this.end = end
    this.joint = joint
    this.operation = operation
    this.aside = aside
  }
}
