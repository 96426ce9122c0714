import { type Input, MachineError, type MouseButton, type Screen } from '@sandglass/machines/contract'
import { type InputFrame, wheelNotch } from '@sandglass/wire/frames'

/** The bits of the buttons in a pointer frame. */
const buttons: readonly (readonly [bit: number, button: MouseButton])[] = [
  [1, 'left'],
  [2, 'right'],
  [4, 'middle'],
  [8, 'back'],
  [16, 'forward'],
]

/**
 * Max cost of the inputs that wait for a machine. If there is more, the machine is not keeping up and all of it is
 * dropped.
 */
const maxQueued = 512
/** The cost of a text grows by one per this many characters. */
const charactersPerCost = 256
/** Max wheel notches per frame. */
const maxNotches = 20
/** Max keys held at the same time; more than a person can hold. */
const maxHeld = 32

type QueuedInput =
  | Exclude<InputFrame, { type: 'touch' }>
  | { readonly type: 'work'; readonly work: () => Promise<void> }
  | { readonly type: 'stop'; readonly done: () => void }

/** Applies a person's input to a machine, in order. The queue is bounded. */
export class InputQueue {
  readonly #screen: Screen
  readonly #onFault: (error: unknown) => void
  readonly #onIdle: () => void
  #queue: QueuedInput[] = []
  #queuedCost = 0
  #isBusy = false
  #stopped = new AbortController()
  #buttons = 0
  readonly #held = new Set<number>()
  #wheelRest = { x: 0, y: 0 }
  /** The finger that currently acts as the pointer. */
  #finger: number | undefined

  /** `onIdle` is called whenever the queue has been processed. */
  constructor(screen: Screen, onFault: (error: unknown) => void, onIdle: () => void = () => {}) {
    this.#screen = screen
    this.#onFault = onFault
    this.#onIdle = onIdle
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  /** Whether a key or button is down, or may be once the queue is processed. */
  get isHolding(): boolean {
    return this.#held.size > 0 || this.#buttons > 0 || this.#isBusy
  }

  do(input: InputFrame): void {
    const queued = input.type === 'touch' ? this.#asPointer(input) : input
    if (!queued) return
    const last = this.#queue.at(-1)
    // Only the latest position counts, so consecutive moves replace each other.
    if (queued.type === 'pointer' && last?.type === 'pointer' && last.buttons === queued.buttons) {
      this.#queue[this.#queue.length - 1] = queued
      return
    }
    this.#queuedCost += costOf(queued)
    if (this.#queuedCost > maxQueued) void this.release()
    else this.#enqueue(queued)
  }

  /**
   * Runs other work in the order of the queue, such as writing a text to the clipboard before the keys that paste it.
   */
  runInOrder(work: () => Promise<void>): void {
    this.#queuedCost += 1
    if (this.#queuedCost > maxQueued) void this.release()
    else this.#enqueue({ type: 'work', work })
  }

  /**
   * Drops the queue and releases every key and button, including those that the agent holds. Resolves when that is
   * done.
   */
  release(): Promise<void> {
    this.#stopped.abort()
    this.#stopped = new AbortController()
    const dropped = this.#queue.splice(0)
    this.#queuedCost = 0
    this.#finger = undefined
    return new Promise(resolve => {
      const done = () => {
        for (const queued of dropped) if (queued.type === 'stop') queued.done()
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
        // The machine cannot press this key, or is going away.
        if (!(error instanceof MachineError) && !signal.aborted) this.#onFault(error)
      }
      if (queued.type === 'stop') queued.done()
    }
    this.#isBusy = false
    this.#onIdle()
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
      case 'work':
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

  /** Fractions of a notch add up until they make a whole one; turning the other way starts from zero. */
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

  /** Repeated key-down frames are ignored, since the machine itself repeats a key that is held. */
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

  /** On a desktop the first finger acts as the pointer with its left button, and other fingers are ignored. */
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
