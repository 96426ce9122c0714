import { type Intent, type Intents, isList, type Point } from './intent.ts'
import type { Operation, Piece } from './piece.ts'

type Press = Extract<Intent, { kind: 'buttonDown' | 'buttonUp' }>
type Move = Extract<Intent, { kind: 'move' }>

/**
 * Joins a button press, the moves after it and the release into a drag, because there is no action for each alone. Any
 * other operation while the button is down ends the drag.
 */
export function joinDrags(first: Piece | undefined): void {
  let held: Held | undefined
  let before: Operation | undefined
  for (let piece = first; piece !== undefined; piece = piece.next) {
    for (let { operation } = piece; operation !== undefined; operation = operation.next) {
      const intent = onlyOne(operation.intents)
      if (intent?.kind === 'buttonDown') held = pressedAt(operation, intent, before)
      else if (held !== undefined && !held.goesOn(operation, intent)) held = undefined
      before = operation
    }
  }
}

/** A press without coordinates is at the target of the preceding move. */
function pressedAt(operation: Operation, press: Press, before: Operation | undefined): Held {
  const move = before && onlyOne(before.intents)
  if (press.at !== undefined || before === undefined || move?.kind !== 'move' || move.relative)
    return new Held(operation, press)
  const held = new Held(before, { ...press, at: move.at })
  held.takes(operation)
  return held
}

function onlyOne(intents: Intents): Intent | undefined {
  if (!isList(intents)) return intents
  return intents.length === 1 ? intents[0] : undefined
}

/** A button that is down, and the operations since. */
class Held {
  readonly #operation: Operation
  readonly #press: Press
  readonly #parts: Operation[] = []
  #waited = false
  readonly #moves: Move[] = []

  constructor(operation: Operation, press: Press) {
    this.#operation = operation
    this.#press = press
  }

  takes(operation: Operation): void {
    this.#parts.push(operation)
  }

  /** Adds an operation and returns whether the button is still down. */
  goesOn(operation: Operation, intent: Intent | undefined): boolean {
    this.takes(operation)
    if (intent?.kind === 'move') this.#moves.push(intent)
    if (intent?.kind === 'wait') this.#waited = true
    if (intent?.kind === 'buttonUp' && intent.button === this.#press.button) this.#release(intent)
    return intent?.kind === 'move' || intent?.kind === 'wait'
  }

  #release(release: Press): void {
    const whole = this.#whole(release)
    if (whole === undefined) return
    this.#operation.intents = whole
    for (const part of this.#parts) part.partOf = this.#operation
  }

  #whole(release: Press): Intent | undefined {
    const { at: from, button } = this.#press
    const last = this.#moves.at(-1)
    const to = release.at ?? last?.at
    // A press and release at the same point are a click, unless the button was held for a while.
    if (to === undefined || (last === undefined && from !== undefined && isSame(from, to)))
      return this.#waited ? undefined : { kind: 'tap', at: from ?? to, button, count: 1 }
    const ways = this.#moves.filter(({ relative }) => relative).length
    if (ways > 0 && release.at === undefined && this.#moves.length > 1) return undefined
    const relative = ways > 0 && release.at === undefined
    return { kind: 'drag', from, to, relative, button, hold: last?.hold }
  }
}

function isSame(a: Point, b: Point): boolean {
  return a.x === b.x && a.y === b.y
}
