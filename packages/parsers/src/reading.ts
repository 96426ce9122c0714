import type { Action, Parsed } from '@sandglass/protocol'
import type { Dialect } from './dialect.ts'
import { joinDrags } from './drags.ts'
import { express } from './express/express.ts'
import { type Ruler, rulerFor } from './express/ruler.ts'
import { type Intent, isList } from './intent.ts'
import { type Aside, type Kind, type Operation, Piece } from './piece.ts'
import { isBlank, trimEnd } from './readers/characters.ts'
import type { Screen, Space } from './screen.ts'

/** One text on its way to being parsed: its pieces in any order, then what they come to. */
export class Reading {
  readonly text: string
  readonly space: Space
  /** The first and the last of its pieces: a chain, which is not an object of its own since every text has one. */
  first: Piece | undefined = undefined
  last: Piece | undefined = undefined
  /** The family's own syntax around the rest, labels, tags and fences: starts and ends in turn. Kept for a trace. */
  readonly markup: number[] | undefined
  #toolCalls: boolean | undefined
  /** Most families find their pieces in the order of the text; those of the rest are sorted. */
  #inOrder = true
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
    if (end > start) this.keep(new Piece(kind, start, end, joint))
  }

  mark(start: number, end: number): void {
    this.markup?.push(start, end)
  }

  act(start: number, end: number, operation: Operation, aside?: Aside): void {
    this.keep(new Piece('action', start, end, '\n', operation, aside))
  }

  /** Adds a piece after those that are there. */
  keep(piece: Piece): void {
    const { last } = this
    if (last === undefined) this.first = piece
    else {
      last.next = piece
      if (piece.start < last.start) this.#inOrder = false
    }
    this.last = piece
  }

  /** Takes all pieces out, to be kept anew in another order or not at all. */
  takePieces(): Piece[] {
    const pieces: Piece[] = []
    for (let piece = this.first; piece !== undefined; piece = piece.next) pieces.push(piece)
    for (const piece of pieces) piece.next = undefined
    this.first = this.last = undefined
    this.#inOrder = true
    return pieces
  }

  /** What the pieces come to. */
  finish(dialect: Dialect, screen: Screen | undefined): Parsed {
    if (!this.#inOrder) for (const piece of this.takePieces().sort(byStart)) this.keep(piece)
    let intents = this.#intents()
    if (intents.some(isPress)) {
      joinDrags(this.first)
      intents = this.#intents()
    }
    const ruler = rulerFor(dialect, intents, screen)
    let actions: Action[] | undefined
    let last: Piece | undefined
    for (let piece = this.first; piece !== undefined; piece = piece.next) {
      if (piece.operation === undefined) continue
      const done = enact(piece.operation, this.space, ruler)
      if (done === undefined) piece.kind = 'unknown'
      else {
        actions = joinedActions(actions, done)
        last = piece
      }
    }
    if (last === undefined) this.#disbelieveActions()
    return this.#parsed(actions ?? [], last)
  }

  #intents(): Intent[] {
    const all: Intent[] = []
    for (let piece = this.first; piece !== undefined; piece = piece.next) {
      for (let { operation } = piece; operation !== undefined; operation = operation.next) {
        const { intents } = operation
        if (!isList(intents)) all.push(intents)
        else for (const intent of intents) all.push(intent)
      }
    }
    return all
  }

  /** Where nothing came to an action, neither did the further fields of one. */
  #disbelieveActions(): void {
    for (let piece = this.first; piece !== undefined; piece = piece.next)
      if (piece.kind === 'action') piece.kind = 'unknown'
  }

  /** The actions with what is said beside them; `last` is the last piece that some of them are from. */
  #parsed(actions: Action[], last: Piece | undefined): Parsed {
    let thoughts: string | undefined
    let memory: string | undefined
    let unknown: string | undefined
    let free: Kind = last === undefined ? 'unknown' : 'thought'
    for (let piece = this.first; piece !== undefined; piece = piece.next) {
      if (piece === last) free = 'unknown'
      if (piece.kind === 'free') piece.kind = free
      if (piece.kind === 'action') {
        if (piece.aside !== undefined) {
          thoughts = joined(thoughts, piece.aside.thought)
          memory = joined(memory, piece.aside.memory)
        }
        unknown = joined(unknown, this.#left(piece))
        continue
      }
      const text = this.text.slice(piece.start, piece.end)
      if (piece.kind === 'thought') thoughts = joined(thoughts, text, piece.joint)
      else if (piece.kind === 'memory') memory = joined(memory, text)
      else unknown = joined(unknown, text)
    }
    // What was not said has no key.
    const parsed: Parsed = thoughts === undefined ? { actions } : { actions, thoughts }
    if (memory !== undefined) parsed.memory = memory
    if (unknown !== undefined) parsed.unknown = unknown
    return parsed
  }

  /** What a piece says beside its actions: what was refused, and questions to the user. */
  #left(piece: Piece): string | undefined {
    let left: string | undefined
    for (let { operation } = piece; operation !== undefined; operation = operation.next) {
      const { refused, intents, start, end } = operation
      if (refused) left = joined(left, this.text.slice(start, end))
      else if (!isList(intents)) left = joined(left, questionIn(intents))
      else for (const intent of intents) left = joined(left, questionIn(intent))
    }
    return left
  }
}

function joined(before: string | undefined, text: string | undefined, joint = '\n'): string | undefined {
  if (!text) return before
  return before === undefined ? text : before + joint + text
}

function isPress({ kind }: Intent): boolean {
  return kind === 'buttonDown'
}

function questionIn(intent: Intent): string | undefined {
  return intent.kind === 'ask' ? intent.message : undefined
}

/** The actions of an operation and of those after it, or undefined when there are none. */
function enact(first: Operation, space: Space, ruler: Ruler): Action[] | undefined {
  let actions: Action[] | undefined
  for (let operation: Operation | undefined = first; operation !== undefined; operation = operation.next) {
    const { intents, partOf } = operation
    const done =
      partOf !== undefined
        ? partDone(partOf)
        : isList(intents)
          ? expressAll(intents, space, ruler)
          : expressOne(intents, space, ruler)
    if (done === undefined) operation.refused = true
    else actions = joinedActions(actions, done)
  }
  return actions
}

/** What is part of an operation is done with it, or not at all. */
function partDone(whole: Operation): Action[] | undefined {
  return whole.refused ? undefined : []
}

function expressOne(intent: Intent, space: Space, ruler: Ruler): Action[] | undefined {
  const action = express(intent, space, ruler)
  return action && [action]
}

/** All of an operation or nothing of it: half a drag-and-drop would be something else. */
function expressAll(intents: readonly Intent[], space: Space, ruler: Ruler): Action[] | undefined {
  const actions: Action[] = []
  for (const intent of intents) {
    const action = express(intent, space, ruler)
    if (action === undefined) return undefined
    actions.push(action)
  }
  return actions.length > 0 ? actions : undefined
}

/** Most texts have one action: its array is then the whole answer's, and none has to grow. */
function joinedActions(before: Action[] | undefined, more: Action[]): Action[] {
  if (before === undefined) return more
  for (const action of more) before.push(action)
  return before
}

function byStart(a: Piece, b: Piece): number {
  return a.start - b.start
}
