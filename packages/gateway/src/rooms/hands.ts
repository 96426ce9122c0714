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
const maxWaiting = 512
/** A text counts as one more for each of these. */
const charactersPerPlace = 256
/** No wheel turns further at once. */
const maxNotches = 20
/** More keys than hands can hold. */
const maxHeld = 32

type Deed =
  | Exclude<InputFrame, { type: 'touch' }>
  | { readonly type: 'between'; readonly work: () => Promise<void> }
  | { readonly type: 'stop'; readonly done: () => void }

/** A person's hands on a machine: what they do is done in order, and what waits is bounded. */
export class Hands {
  readonly #screen: Screen
  readonly #onFault: (error: unknown) => void
  #waiting: Deed[] = []
  #places = 0
  #isBusy = false
  #stopped = new AbortController()
  #buttons = 0
  readonly #held = new Set<number>()
  #turned = { x: 0, y: 0 }
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
    const deed = input.type === 'touch' ? this.#asPointer(input) : input
    if (!deed) return
    const last = this.#waiting.at(-1)
    // A pointer that only moved on is where it is now: nobody needs to see where it was.
    if (deed.type === 'pointer' && last?.type === 'pointer' && last.buttons === deed.buttons) {
      this.#waiting[this.#waiting.length - 1] = deed
      return
    }
    this.#places += placesOf(deed)
    if (this.#places > maxWaiting) void this.release()
    else this.#wait(deed)
  }

  /** Something that what was done before must not see, and what is done after must, such as a text to paste. */
  between(work: () => Promise<void>): void {
    this.#places += 1
    if (this.#places > maxWaiting) void this.release()
    else this.#wait({ type: 'between', work })
  }

  /** Gives up what waits, and lets go of every key and button, also the agent's. Settles when that is done. */
  release(): Promise<void> {
    this.#stopped.abort()
    this.#stopped = new AbortController()
    const forgotten = this.#waiting.splice(0)
    this.#places = 0
    this.#finger = undefined
    return new Promise(resolve => {
      const done = () => {
        for (const deed of forgotten) if (deed.type === 'stop') deed.done()
        resolve()
      }
      this.#wait({ type: 'stop', done })
    })
  }

  #wait(deed: Deed): void {
    this.#waiting.push(deed)
    if (!this.#isBusy) void this.#work()
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    for (let deed = this.#waiting.shift(); deed; deed = this.#waiting.shift()) {
      if (deed.type !== 'stop') this.#places -= placesOf(deed)
      const { signal } = this.#stopped
      try {
        await this.#carryOut(deed, await this.#screen.input(), signal)
      } catch (error) {
        // A key that the machine cannot press, or a machine that is going away.
        if (!(error instanceof MachineError) && !signal.aborted) this.#onFault(error)
      }
      if (deed.type === 'stop') deed.done()
    }
    this.#isBusy = false
  }

  async #carryOut(deed: Deed, input: Input, signal: AbortSignal): Promise<void> {
    switch (deed.type) {
      case 'pointer':
        await this.#move(input, deed)
        return this.#press(input, deed.buttons)
      case 'wheel':
        await this.#move(input, deed)
        return this.#turn(input, deed.deltaX, deed.deltaY)
      case 'key':
        return this.#key(input, deed.keysym, deed.isDown, signal)
      case 'between':
        return deed.work()
      case 'text':
        return input.type(deed.text, { lineBreak: 'Enter', signal })
      default:
        this.#held.clear()
        this.#buttons = 0
        this.#turned = { x: 0, y: 0 }
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
    this.#turned = { x: added(this.#turned.x, deltaX), y: added(this.#turned.y, deltaY) }
    const notches = { x: Math.trunc(this.#turned.x / wheelNotch), y: Math.trunc(this.#turned.y / wheelNotch) }
    this.#turned = { x: this.#turned.x % wheelNotch, y: this.#turned.y % wheelNotch }
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
  #asPointer({ lease, finger, phase, x, y }: Extract<InputFrame, { type: 'touch' }>): Deed | undefined {
    if (phase === 'start') this.#finger ??= finger
    if (finger !== this.#finger) return undefined
    const isDown = phase === 'start' || phase === 'move'
    if (!isDown) this.#finger = undefined
    return { type: 'pointer', lease, x, y, buttons: isDown ? 1 : 0 }
  }
}

function placesOf(deed: Deed): number {
  return deed.type === 'text' ? 1 + Math.ceil(deed.text.length / charactersPerPlace) : 1
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
