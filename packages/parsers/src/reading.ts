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

  /** What the pieces come to. */
  finish(dialect: Dialect, screen: Screen | undefined): Parsed {
    const { pieces } = this
    inOrder(pieces)
    const actions: Action[] = []
    const lastAction = this.#enact(actions, rulerFor(dialect, pieces, screen))
    const parsed: Parsed = { actions }
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]
      if (piece === undefined) continue
      if (piece.kind === 'free') piece.kind = at < lastAction ? 'thought' : 'unknown'
      if (piece.kind === 'action') this.#tell(parsed, piece)
      else {
        const said = this.text.slice(piece.start, piece.end)
        if (piece.kind === 'thought') parsed.thoughts = joined(parsed.thoughts, said, piece.joint)
        else if (piece.kind === 'memory') parsed.memory = joined(parsed.memory, said)
        else parsed.unknown = joined(parsed.unknown, said)
      }
    }
    return parsed
  }

  /** Expresses every operation; a piece of which nothing can be expressed is unknown. */
  #enact(actions: Action[], ruler: Ruler): number {
    const { pieces, space } = this
    let last = -1
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at]
      if (piece?.operations === undefined) continue
      let done = 0
      for (const operation of piece.operations) if (enact(operation, actions, space, ruler)) done++
      if (done === 0) piece.kind = 'unknown'
      else last = at
    }
    if (last < 0) for (const piece of pieces) if (piece.kind === 'action') piece.kind = 'unknown'
    return last
  }

  /** What a piece says beside its actions: thought, memory, what was refused, a question to the user. */
  #tell(parsed: Parsed, { operations, thought, memory }: Piece): void {
    if (thought) parsed.thoughts = joined(parsed.thoughts, thought)
    if (memory) parsed.memory = joined(parsed.memory, memory)
    if (operations === undefined) return
    for (const { refused, intents, start, end } of operations) {
      if (refused) parsed.unknown = joined(parsed.unknown, this.text.slice(start, end))
      else {
        for (const intent of intents) {
          if (intent.kind === 'ask' && intent.message) parsed.unknown = joined(parsed.unknown, intent.message)
        }
      }
    }
  }
}

/** All of an operation or nothing of it: half a drag-and-drop would be something else. */
function enact(operation: Operation, actions: Action[], space: Space, ruler: Ruler): boolean {
  const { intents } = operation
  const before = actions.length
  for (const intent of intents) {
    const action = express(intent, space, ruler)
    if (action === undefined) {
      actions.length = before
      break
    }
    actions.push(action)
  }
  operation.refused = actions.length === before
  return !operation.refused
}

function joined(before: string | undefined, text: string, joint = '\n'): string {
  return before === undefined ? text : before + joint + text
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
