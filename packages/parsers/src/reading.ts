import type { Action, Parsed } from '@sandglass/protocol'
import type { Dialect } from './dialect.ts'
import { joinDrags } from './drags.ts'
import { hasPlace } from './express/extent.ts'
import { type Ruler, rulerFor, seenImage } from './express/ruler.ts'
import { toAction } from './express/to-action.ts'
import { chooseUnit, type UnitChoice } from './express/unit.ts'
import { type Intent, isList } from './intent.ts'
import { type Aside, type Kind, type Operation, Piece } from './piece.ts'
import { isBlank, trimEnd } from './readers/characters.ts'
import type { Screen, Space } from './screen.ts'

/** A text while it is parsed: collects its pieces in any order, then converts them to the result. */
export class Reading {
  readonly text: string
  readonly space: Space
  /** The ends of the linked list of pieces. It is not an object of its own, because every text needs one. */
  first: Piece | undefined = undefined
  last: Piece | undefined = undefined
  /** Spans of labels, tags and fences, as alternating starts and ends. Only recorded for a trace. */
  readonly markup: number[] | undefined
  #toolCalls: boolean | undefined
  /** Most families find pieces in text order; otherwise they are sorted. */
  #inOrder = true
  /** The number of characters that readers examined, successfully or not. */
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

  /** Adds a span without surrounding whitespace, unless it is blank. */
  add(kind: Kind, start: number, end: number, separator = '\n'): void {
    const { text } = this
    while (start < end && isBlank(text.charCodeAt(start))) start++
    end = trimEnd(text, start, end)
    if (end > start) this.keep(new Piece(kind, start, end, separator))
  }

  mark(start: number, end: number): void {
    this.markup?.push(start, end)
  }

  act(start: number, end: number, operation: Operation, aside?: Aside): void {
    this.keep(new Piece('action', start, end, '\n', operation, aside))
  }

  /** Appends a piece. */
  keep(piece: Piece): void {
    const { last } = this
    if (last === undefined) this.first = piece
    else {
      last.next = piece
      if (piece.start < last.start) this.#inOrder = false
    }
    this.last = piece
  }

  /** Removes and returns all pieces, so that they can be added again in another order or dropped. */
  takePieces(): Piece[] {
    const pieces: Piece[] = []
    for (let piece = this.first; piece !== undefined; piece = piece.next) pieces.push(piece)
    for (const piece of pieces) piece.next = undefined
    this.first = this.last = undefined
    this.#inOrder = true
    return pieces
  }

  /** Converts the pieces to the result. */
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
      const done = actionsOf(piece.operation, this.space, ruler)
      if (done === undefined) piece.kind = 'unknown'
      else {
        actions = appendActions(actions, done)
        last = piece
      }
    }
    if (last === undefined) this.#markActionsUnknown()
    return this.#parsed(actions ?? [], last)
  }

  /** The unit of all coordinates, or undefined if there are none or the image is unknown. Call this after `finish`. */
  unitOn(dialect: Dialect, screen: Screen | undefined): UnitChoice | undefined {
    const seen = seenImage(dialect, screen)
    const intents = this.#intents()
    return seen && hasPlace(intents) ? chooseUnit(dialect.units, intents, seen) : undefined
  }

  /**
   * The first operation for which there is no action, or the first text before an action that looks like one. Call this
   * after `finish`.
   */
  firstRefused(): string | undefined {
    let suspect: Piece | undefined
    for (let piece = this.first; piece !== undefined; piece = piece.next) {
      for (let { operation } = piece; operation !== undefined; operation = operation.next) {
        if (operation.refused) return this.text.slice(operation.start, operation.end)
        if (suspect !== undefined) return this.text.slice(suspect.start, suspect.end)
      }
      if (piece.kind === 'unknown' && looksLikeCall(this.text.slice(piece.start, piece.end)))
        suspect ??= piece
    }
    return undefined
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

  /** Without any action, further fields of an action are unknown text. */
  #markActionsUnknown(): void {
    for (let piece = this.first; piece !== undefined; piece = piece.next)
      if (piece.kind === 'action') piece.kind = 'unknown'
  }

  /** Builds the result; `last` is the last piece that produced an action. */
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
          thoughts = join(thoughts, piece.aside.thought)
          memory = join(memory, piece.aside.memory)
        }
        unknown = join(unknown, this.#remainderOf(piece))
        continue
      }
      const text = this.text.slice(piece.start, piece.end)
      if (piece.kind === 'thought') thoughts = join(thoughts, text, piece.separator)
      else if (piece.kind === 'memory') memory = join(memory, text)
      else unknown = join(unknown, text)
    }
    // Fields that are absent from the text are omitted.
    const parsed: Parsed = thoughts === undefined ? { actions } : { actions, thoughts }
    if (memory !== undefined) parsed.memory = memory
    if (unknown !== undefined) parsed.unknown = unknown
    return parsed
  }

  /** What a piece contains besides actions: rejected operations and questions to the user. */
  #remainderOf(piece: Piece): string | undefined {
    let left: string | undefined
    for (let { operation } = piece; operation !== undefined; operation = operation.next) {
      const { refused, intents, start, end } = operation
      if (refused) left = join(left, this.text.slice(start, end))
      else if (!isList(intents)) left = join(left, questionIn(intents))
      else for (const intent of intents) left = join(left, questionIn(intent))
    }
    return left
  }
}

function join(before: string | undefined, text: string | undefined, separator = '\n'): string | undefined {
  if (!text) return before
  return before === undefined ? text : before + separator + text
}

/** Whether a text contains the beginning of a call or an object. */
function looksLikeCall(text: string): boolean {
  return /\w\(|\{/.test(text)
}

function isPress({ kind }: Intent): boolean {
  return kind === 'buttonDown'
}

function questionIn(intent: Intent): string | undefined {
  return intent.kind === 'ask' ? intent.message : undefined
}

/** The actions of an operation and of those after it; undefined if there are none. */
function actionsOf(first: Operation, space: Space, ruler: Ruler): Action[] | undefined {
  let actions: Action[] | undefined
  for (let operation: Operation | undefined = first; operation !== undefined; operation = operation.next) {
    const { intents, partOf } = operation
    const done =
      partOf !== undefined
        ? partDone(partOf)
        : isList(intents)
          ? toActions(intents, space, ruler)
          : toActionList(intents, space, ruler)
    if (done === undefined) operation.refused = true
    else actions = appendActions(actions, done)
  }
  return actions
}

/** An operation that is part of another succeeds or fails with it. */
function partDone(whole: Operation): Action[] | undefined {
  return whole.refused ? undefined : []
}

function toActionList(intent: Intent, space: Space, ruler: Ruler): Action[] | undefined {
  const action = toAction(intent, space, ruler)
  return action && [action]
}

/** All intents of an operation or none: half a drag and drop would be a different action. */
function toActions(intents: readonly Intent[], space: Space, ruler: Ruler): Action[] | undefined {
  const actions: Action[] = []
  for (const intent of intents) {
    const action = toAction(intent, space, ruler)
    if (action === undefined) return undefined
    actions.push(action)
  }
  return actions.length > 0 ? actions : undefined
}

/** Most texts have one action, whose array is then reused as the result. */
function appendActions(before: Action[] | undefined, more: Action[]): Action[] {
  if (before === undefined) return more
  for (const action of more) before.push(action)
  return before
}

function byStart(a: Piece, b: Piece): number {
  return a.start - b.start
}
