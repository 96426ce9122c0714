import type { Action, Parsed } from '@sandglass/protocol'
import type { Dialect } from './dialect.ts'
import { express } from './express/express.ts'
import { rulerFor } from './express/ruler.ts'
import type { Intent } from './intent.ts'
import { isBlank, trimEnd } from './readers/characters.ts'
import type { Screen, Space } from './screen.ts'

/**
 * What a span of the text is. `markup` is the family's own syntax around the rest: labels, tags, fences.
 * `free` stands before or between actions without a label: the model's reasoning when an action follows,
 * unknown when none does.
 */
export type Kind = 'action' | 'thought' | 'memory' | 'unknown' | 'markup' | 'free'

/** One operation of a call or an object, and the span that says it. */
export interface Operation {
  readonly intents: readonly Intent[]
  readonly start: number
  readonly end: number
}

/** A span of the text. Spans of a reading never overlap, and what they leave out is blank. */
export interface Piece {
  kind: Kind
  readonly start: number
  readonly end: number
  /** What joins it to a piece of the same kind before it. */
  readonly joint: string
  readonly operations?: readonly Operation[]
  /** Thought and memory that stand inside an object, as values. */
  readonly thought?: string | undefined
  readonly memory?: string | undefined
}

/** One text on its way to being parsed: its pieces in any order, then what they come to. */
export class Reading {
  readonly text: string
  readonly space: Space
  readonly pieces: Piece[] = []
  #toolCalls: boolean | undefined
  /** Characters that readers looked at, whether or not something came of it. */
  work = 0

  constructor(text: string, space: Space) {
    this.text = text
    this.space = space
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
    if (end > start) this.pieces.push({ kind, start, end, joint })
  }

  act(start: number, end: number, operations: readonly Operation[], thought?: string, memory?: string): void {
    this.pieces.push({ kind: 'action', start, end, joint: '\n', operations, thought, memory })
  }

  finish(dialect: Dialect, screen: Screen | undefined): Parsed {
    const { pieces } = this
    for (let at = 1; at < pieces.length; at++) {
      if ((pieces[at]?.start ?? 0) < (pieces[at - 1]?.start ?? 0)) {
        pieces.sort((a, b) => a.start - b.start)
        break
      }
    }
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
    const intents: Intent[] = []
    for (const { operations } of this.pieces) {
      if (operations) for (const operation of operations) intents.push(...operation.intents)
    }
    const ruler = rulerFor(dialect, intents, screen)
    let last = -1
    for (let at = 0; at < this.pieces.length; at++) {
      const piece = this.pieces[at]
      if (piece?.operations === undefined) continue
      let done = 0
      const refused: Operation[] = []
      for (const operation of piece.operations) {
        if (outcome.enact(operation, intent => express(intent, this.space, ruler))) done++
        else refused.push(operation)
      }
      if (done === 0) piece.kind = 'unknown'
      else {
        last = at
        for (const { start, end } of refused) outcome.unknown(this.text.slice(start, end))
      }
    }
    if (last < 0) for (const piece of this.pieces) if (piece.kind === 'action') piece.kind = 'unknown'
    return last
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
  enact(operation: Operation, say: (intent: Intent) => Action | undefined): boolean {
    if (operation.intents.length === 0) return false
    const before = this.#actions.length
    for (const intent of operation.intents) {
      const action = say(intent)
      if (action === undefined) {
        this.#actions.length = before
        return false
      }
      this.#actions.push(action)
    }
    for (const intent of operation.intents) {
      if (intent.kind === 'ask' && intent.message) this.unknown(intent.message)
    }
    return true
  }

  take(piece: Piece): void {
    if (piece.kind === 'thought') this.#think(this.#text.slice(piece.start, piece.end), piece.joint)
    else if (piece.kind === 'memory') this.#remember(this.#text.slice(piece.start, piece.end))
    else if (piece.kind === 'unknown') this.unknown(this.#text.slice(piece.start, piece.end))
    else if (piece.kind === 'action') {
      if (piece.thought) this.#think(piece.thought, '\n')
      if (piece.memory) this.#remember(piece.memory)
    }
  }

  #think(thought: string, joint: string): void {
    this.#thoughts = this.#thoughts === undefined ? thought : this.#thoughts + joint + thought
  }

  #remember(memory: string): void {
    this.#memory = this.#memory === undefined ? memory : `${this.#memory}\n${memory}`
  }

  unknown(text: string): void {
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
