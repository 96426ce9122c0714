import { type Input, MachineError, type MouseButton, type Screen } from '@sandglass/machines/contract'
import { type InputFrame, wheelNotch } from '@sandglass/wire/frames'

/** The bits of a pointer frame's buttons. */
const buttons: readonly (readonly [bit: number, button: MouseButton])[] = [
  ...([
    [1, 'left'],
    [2, 'right'],
    [4, 'middle'],
    [8, 'back'],
    [16, 'forward'],
  ] as const),
]

/** So much may wait for a machine that does not take it; with more than that, all of it is given up. */
const maxQueued = 512
/** A text counts as one more for each of these. */
const charactersPerCost = 256
/** No wheel turns further at once. */
const maxNotches = 20
/** More keys than hands can hold. */
const maxHeld = 32

type QueuedInput =
  | Exclude<InputFrame, { type: 'touch' }>
  | { readonly type: 'between'; readonly work: () => Promise<void> }
  | { readonly type: 'stop'; readonly done: () => void }

/** A person's hands on a machine: what they do is done in order, and what waits is bounded. */
export class InputQueue {
  readonly #screen: Screen
  readonly #onFault: (error: unknown) => void
  #queue: QueuedInput[] = []
  #queuedCost = 0
  #isBusy = false
  #stopped = new AbortController()
  #buttons = 0
  readonly #held = new Set<number>()
  #wheelRest = { x: 0, y: 0 }
  /** The finger that is the pointer. */
  #finger: number | undefined

  constructor(screen: Screen, onFault: (error: unknown) => void) {
    this.#screen = screen
    this.#onFault = onFault
  }

  /** Whether a key or a button is down, or will be. */
  get isHolding(): boolean {
    return this.#held.size > 0 || this.#buttons > 0 || this.#isBusy
  }

  do(input: InputFrame): void {
    const queued = input.type === 'touch' ? this.#asPointer(input) : input
    if (!queued) return
    const last = this.#queue.at(-1)
    // A pointer that only moved on is where it is now: nobody needs to see where it was.
    if (queued.type === 'pointer' && last?.type === 'pointer' && last.buttons === queued.buttons) {
      this.#queue[this.#queue.length - 1] = queued
      return
    }
    this.#queuedCost += costOf(queued)
    if (this.#queuedCost > maxQueued) void this.release()
    else this.#enqueue(queued)
  }

  /** Something that what was done before must not see, and what is done after must, such as a text to paste. */
  between(work: () => Promise<void>): void {
    this.#queuedCost += 1
    if (this.#queuedCost > maxQueued) void this.release()
    else this.#enqueue({ type: 'between', work })
  }

  /** Gives up what waits, and lets go of every key and button, also the agent's. Settles when that is done. */
  release(): Promise<void> {
    this.#stopped.abort()
    this.#stopped = new AbortController()
    const forgotten = this.#queue.splice(0)
    this.#queuedCost = 0
    this.#finger = undefined
    return new Promise(resolve => {
      const done = () => {
        for (const queued of forgotten) if (queued.type === 'stop') queued.done()
        resolve()
      }
      this.#enqueue({ type: 'stop', done })
    })
  }

  #enqueue(queued: QueuedInput): void {
    this.#queue.push(queued)
    if (!this.#isBusy) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    for (let queued = this.#queue.shift(); queued; queued = this.#queue.shift()) {
      if (queued.type !== 'stop') this.#queuedCost -= costOf(queued)
      const { signal } = this.#stopped
      try {
        await this.#perform(queued, await this.#screen.input(), signal)
      } catch (error) {
        // A key that the machine cannot press, or a machine that is going away.
        if (!(error instanceof MachineError) && !signal.aborted) this.#onFault(error)
      }
      if (queued.type === 'stop') queued.done()
    }
    this.#isBusy = false
  }

  async #perform(queued: QueuedInput, input: Input, signal: AbortSignal): Promise<void> {
    switch (queued.type) {
      case 'pointer':
        await this.#move(input, queued)
        return this.#press(input, queued.buttons)
      case 'wheel':
        await this.#move(input, queued)
        return this.#turn(input, queued.deltaX, queued.deltaY)
      case 'key':
        return this.#key(input, queued.keysym, queued.isDown, signal)
      case 'between':
        return queued.work()
      case 'text':
        return input.type(queued.text, { lineBreak: 'Enter', signal })
      default:
        this.#held.clear()
        this.#buttons = 0
        this.#wheelRest = { x: 0, y: 0 }
        return input.releaseAll()
    }
  }

  async #move(input: Input, { x, y }: { readonly x: number; readonly y: number }): Promise<void> {
    const { width, height } = await this.#screen.size()
    await input.move({ x: Math.min(x, width - 1), y: Math.min(y, height - 1) })
  }

  #press(input: Input, now: number): void {
    const before = this.#buttons
    this.#buttons = now
    for (const [bit, button] of buttons)
      if (now & ~before & bit) input.press(button)
      else if (before & ~now & bit) input.release(button)
  }

  /** Parts of a notch add up until they are one; a turn the other way begins anew. */
  #turn(input: Input, deltaX: number, deltaY: number): void {
    this.#wheelRest = { x: added(this.#wheelRest.x, deltaX), y: added(this.#wheelRest.y, deltaY) }
    const notches = {
      x: Math.trunc(this.#wheelRest.x / wheelNotch),
      y: Math.trunc(this.#wheelRest.y / wheelNotch),
    }
    this.#wheelRest = { x: this.#wheelRest.x % wheelNotch, y: this.#wheelRest.y % wheelNotch }
    notch(input, notches.x < 0 ? 'wheelLeft' : 'wheelRight', notches.x)
    notch(input, notches.y < 0 ? 'wheelUp' : 'wheelDown', notches.y)
  }

  /** A key that is down is repeated by the machine, and not by a viewer who says so. */
  async #key(input: Input, keysym: number, isDown: boolean, signal: AbortSignal): Promise<void> {
    if (!isDown) {
      if (this.#held.delete(keysym)) input.keyUp(keysym)
      return
    }
    if (this.#held.has(keysym) || this.#held.size >= maxHeld) return
    await input.prepare([keysym], signal)
    input.keyDown(keysym)
    this.#held.add(keysym)
  }

  /** On a desktop the first finger is the pointer with its left button, and the others are none. */
  #asPointer({
    lease,
    finger,
    phase,
    x,
    y,
  }: Extract<InputFrame, { type: 'touch' }>): QueuedInput | undefined {
    if (phase === 'start') this.#finger ??= finger
    if (finger !== this.#finger) return undefined
    const isDown = phase === 'start' || phase === 'move'
    if (!isDown) this.#finger = undefined
    return { type: 'pointer', lease, x, y, buttons: isDown ? 1 : 0 }
  }
}

function costOf(queued: QueuedInput): number {
  return queued.type === 'text' ? 1 + Math.ceil(queued.text.length / charactersPerCost) : 1
}

function added(before: number, delta: number): number {
  return Math.sign(before) * Math.sign(delta) < 0 ? delta : before + delta
}

function notch(input: Input, button: MouseButton, count: number): void {
  for (let left = Math.min(Math.abs(count), maxNotches); left > 0; left--) {
    input.press(button)
    input.release(button)
  }
}
