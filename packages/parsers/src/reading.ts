import type { Action, Parsed } from '@sandglass/protocol'
import type { Dialect } from './dialect.ts'
import { express } from './express/express.ts'
import { type Ruler, rulerFor } from './express/ruler.ts'
import type { Intent } from './intent.ts'
import { isBlank, trimEnd } from './readers/characters.ts'
import type { Screen, Space } from './screen.ts'

/**
 * What a span of the text is. `free` stands before or between actions without a label: the model's reasoning when an action follows,
 * unknown when none does.
 */
export type Kind = 'action' | 'thought' | 'memory' | 'unknown' | 'free'

/** One operation of a call or an object, and the span that says it. */
export interface Operation {
  readonly intents: readonly Intent[]
  readonly start: number
  readonly end: number
  /** Set when no action does what it wants. */
  refused?: boolean
}

/**
 * A span of the text. Pieces never overlap, and what they and the markup leave out is blank. A class, so
 * that every piece has one shape for the engine that runs it.
 */
export class Piece {
  kind: Kind
  readonly start: number
  readonly end: number
  /** What joins it to a piece of the same kind before it. */
  readonly joint: string
  readonly operations: readonly Operation[] | undefined
  /** Thought and memory that stand inside an object, as values. */
  readonly thought: string | undefined
  readonly memory: string | undefined

  constructor(
    kind: Kind,
    start: number,
    end: number,
    joint: string,
    operations?: readonly Operation[],
    thought?: string,
    memory?: string,
  ) {
    this.kind = kind
    this.start = start
    this.end = end
    this.joint = joint
    this.operations = operations
    this.thought = thought
    this.memory = memory
  }
}

/** One text on its way to being parsed: its pieces in any order, then what they come to. */
export class Reading {
  readonly text: string
  readonly space: Space
  readonly pieces: Piece[] = []
  /** The family's own syntax around the rest, labels, tags and fences: starts and ends in turn. Kept for a trace. */
  readonly markup: number[] | undefined
  #toolCalls: boolean | undefined
  /** Characters that readers looked at, whether or not something came of it. */
  work = 0

  constructor(text: string, space: Space, traced = false) {
    this.text = text
    this.space = space
    this.markup = traced ? [] : undefined
  }

  hasToolCalls(): boolean {
    this.#toolCalls ??= this.text.includes('<tool_call')
    return this.#toolCalls
  }

  /** Adds a span, without the blanks around it; a blank one is nothing. */
  add(kind: Kind, start: number, end: number, joint = '\n'): void {
    const { text } = this
    while (start < end && isBlank(text.charCodeAt(start))) start++
    end = trimEnd(text, start, end)
    if (end > start) this.pieces.push(new Piece(kind, start, end, joint))
  }

  mark(start: number, end: number): void {
    this.markup?.push(start, end)
  }

  act(start: number, end: number, operations: readonly Operation[], thought?: string, memory?: string): void {
    this.pieces.push(new Piece('action', start, end, '\n', operations, thought, memory))
  }

  finish(dialect: Dialect, screen: Screen | undefined): Parsed {
    const { pieces } = this
    inOrder(pieces)
    const outcome = new Outcome(this.text)
    const lastAction = this.#enact(outcome, dialect, screen)
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]
      if (piece === undefined) continue
      if (piece.kind === 'free') piece.kind = at < lastAction ? 'thought' : 'unknown'
      outcome.take(piece)
    }
    return outcome.parsed()
  }

  /** Expresses every operation; a piece of which nothing can be expressed is unknown. */
  #enact(outcome: Outcome, dialect: Dialect, screen: Screen | undefined): number {
    const { pieces, space } = this
    const ruler = rulerFor(dialect, pieces, screen)
    let last = -1
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]
      if (piece?.operations === undefined) continue
      let done = 0
      for (const operation of piece.operations) if (outcome.enact(operation, space, ruler)) done++
      if (done === 0) piece.kind = 'unknown'
      else last = at
    }
    if (last < 0) for (const piece of pieces) if (piece.kind === 'action') piece.kind = 'unknown'
    return last
  }
}

/** Most families find their pieces in order; the rest are sorted. */
function inOrder(pieces: Piece[]): void {
  let before = 0
  for (const { start } of pieces) {
    if (start < before) {
      pieces.sort((a, b) => a.start - b.start)
      return
    }
    before = start
  }
}

/** Gathers what a reading comes to. */
class Outcome {
  readonly #text: string
  readonly #actions: Action[] = []
  #thoughts: string | undefined
  #memory: string | undefined
  #unknown: string | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** All of an operation or nothing of it: half a drag-and-drop would be something else. */
  enact(operation: Operation, space: Space, ruler: Ruler): boolean {
    const { intents } = operation
    const before = this.#actions.length
    for (const intent of intents) {
      const action = express(intent, space, ruler)
      if (action === undefined) {
        this.#actions.length = before
        operation.refused = true
        return false
      }
      this.#actions.push(action)
    }
    if (intents.length === 0) operation.refused = true
    return intents.length > 0
  }

  take(piece: Piece): void {
    if (piece.kind === 'thought') this.#think(this.#text.slice(piece.start, piece.end), piece.joint)
    else if (piece.kind === 'memory') this.#remember(this.#text.slice(piece.start, piece.end))
    else if (piece.kind === 'unknown') this.#leaveOut(this.#text.slice(piece.start, piece.end))
    else if (piece.kind === 'action') {
      if (piece.thought) this.#think(piece.thought, '\n')
      if (piece.memory) this.#remember(piece.memory)
      if (piece.operations) for (const operation of piece.operations) this.#leave(operation)
    }
  }

  /** What an operation says that no action carries: all of it, or the question to the user. */
  #leave(operation: Operation): void {
    if (operation.refused) this.#leaveOut(this.#text.slice(operation.start, operation.end))
    else
      for (const intent of operation.intents)
        if (intent.kind === 'ask' && intent.message) this.#leaveOut(intent.message)
  }

  #think(thought: string, joint: string): void {
    this.#thoughts = this.#thoughts === undefined ? thought : this.#thoughts + joint + thought
  }

  #remember(memory: string): void {
    this.#memory = this.#memory === undefined ? memory : `${this.#memory}\n${memory}`
  }

  #leaveOut(text: string): void {
    this.#unknown = this.#unknown === undefined ? text : `${this.#unknown}\n${text}`
  }

  parsed(): Parsed {
    const parsed: Parsed = { actions: this.#actions }
    if (this.#thoughts !== undefined) parsed.thoughts = this.#thoughts
    if (this.#memory !== undefined) parsed.memory = this.#memory
    if (this.#unknown !== undefined) parsed.unknown = this.#unknown
    return parsed
  }
}
