import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../../contract/errors.ts'
import type { Input, MouseButton, TypeOptions } from '../../../../contract/input.ts'
import type { Point } from '../../../../contract/rect.ts'
import type { ScreenSize } from '../../../../contract/spec.ts'
import { withTimeout } from '../../../../screens/with-timeout.ts'
import { type JsonLines, Refusal } from '../json-lines.ts'
import type { Held } from './held.ts'
import { axisEvent, buttonEvent, buttonName, type InputEvent, keyEvent } from './input-events.ts'
import type { Keyboard } from './keyboard.ts'
import type { Stroke } from './keyboard-layout.ts'
import { modifierKeys } from './named-keys.ts'
import { pixelAt, tabletPosition } from './tablet-axis.ts'

/** What input needs from the screen. */
export interface ScreenOfInput {
  /** Where the pointer is, in positions of the tablet. */
  pointer(): Point
  movePointer(to: Point): void
  size(): Promise<ScreenSize>
  /** Reports that input was given, which will probably change the screen. */
  gaveInput(): void
  /** Keeps the picture current during the work. */
  whileCurrent<T>(work: () => Promise<T>): Promise<T>
  /** Resolves to true with the next change of the screen, or to false after this time. */
  changedWithin(ms: number, signal: AbortSignal | undefined): Promise<boolean>
}

/**
 * The time between two events. The keyboards and the tablet that QEMU emulates hold about 16 bytes or events for a guest
 * that does not read them at once, and drop what comes after.
 */
const gapMs = 10

/** So many characters fit into the keyboard while another is still in it, whatever modifiers they need. */
const strokesAtOnce = 2

/**
 * How long to wait for a guest to show what was typed, which it does when it has read it. A busy one takes a while. One that
 * has shown nothing probably hides what is typed, and gets the shorter time from then on.
 */
const echoMs = 1000
const silentMs = 150

/** Input by QMP. Everything goes through one queue, so that it takes effect in the order of the calls. */
export class ConsoleInput implements Input {
  readonly #link: JsonLines
  readonly #screen: ScreenOfInput
  readonly #keyboard: Keyboard
  readonly #held: Held
  #last: Promise<unknown> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined

  constructor(link: JsonLines, screen: ScreenOfInput, keyboard: Keyboard, held: Held) {
    this.#link = link
    this.#screen = screen
    this.#keyboard = keyboard
    this.#held = held
    // Whoever pressed something over an earlier connection is gone.
    this.#post(() => this.#releaseEverything(modifierKeys))
  }

  /** Resolves with the reason when the connection has ended. */
  get closed(): Promise<Error> {
    return this.#link.closed
  }

  /** Releases what is held, as far as QEMU can still be reached. */
  close(): void {
    void this.releaseAll()
      .catch(() => {})
      .finally(() => this.#link.close())
  }

  move(to: Point): Promise<void> {
    return this.#run(async () => {
      const { width, height } = await this.#screen.size()
      const [x, y] = [tabletPosition(to.x, width), tabletPosition(to.y, height)]
      await this.#send([axisEvent('x', x), axisEvent('y', y)])
      this.#screen.movePointer({ x, y })
      this.#screen.gaveInput()
    })
  }

  press(button: MouseButton): void {
    const name = buttonName(button)
    this.#post(async () => {
      this.#held.buttons.add(button)
      await this.#sendPaced([buttonEvent(name, true)])
    })
  }

  release(button: MouseButton): void {
    const name = buttonName(button)
    this.#post(async () => {
      this.#held.buttons.delete(button)
      await this.#sendPaced([buttonEvent(name, false)])
    })
  }

  /** Whether the guest has seen it cannot be known; events are paced. */
  async released(): Promise<void> {}

  async prepare(keysyms: readonly number[]): Promise<void> {
    for (const keysym of keysyms) this.#keyboard.strokeOf(keysym)
  }

  keyDown(keysym: number): void {
    const { qcode, modifiers } = this.#keyboard.strokeOf(keysym)
    this.#post(async () => {
      const ours = modifiers.filter(modifier => !this.#held.isDown(modifier))
      this.#held.keys.set(keysym, { qcode, modifiers: ours })
      for (const key of [...ours, qcode]) await this.#sendPaced([keyEvent(key, true)])
    })
  }

  keyUp(keysym: number): void {
    this.#post(async () => {
      const { qcode, modifiers } = this.#held.keys.get(keysym) ?? this.#keyboard.strokeOf(keysym)
      this.#held.keys.delete(keysym)
      for (const key of [qcode, ...modifiers.toReversed()])
        if (!this.#held.isDown(key)) await this.#sendPaced([keyEvent(key, false)])
    })
  }

  releaseAll(): Promise<void> {
    return this.#run(() => this.#releaseEverything())
  }

  async taken(): Promise<Point> {
    await this.#last
    const failure = this.#failure
    this.#failure = undefined
    if (failure) throw failure.error
    const [{ width, height }, { x, y }] = [await this.#screen.size(), this.#screen.pointer()]
    return { x: pixelAt(x, width), y: pixelAt(y, height) }
  }

  async type(text: string, { lineBreak, signal }: TypeOptions): Promise<void> {
    const strokes = this.#keyboard.strokesOf(text, lineBreak)
    await this.#run(() => this.#screen.whileCurrent(() => this.#typeStrokes(strokes, signal)))
  }

  async #typeStrokes(strokes: readonly Stroke[], signal: AbortSignal | undefined): Promise<void> {
    const modifiers = this.#held.qcodes.filter(qcode => modifierKeys.includes(qcode))
    for (const key of modifiers.toReversed()) await this.#sendPaced([keyEvent(key, false)])
    let waitMs = echoMs
    try {
      for (let at = 0; at < strokes.length; at += strokesAtOnce) {
        signal?.throwIfAborted()
        const echoed = this.#screen.changedWithin(waitMs, signal)
        echoed.catch(() => {})
        await this.#sendPaced(eventsOf(strokes.slice(at, at + strokesAtOnce)))
        waitMs = (await echoed) ? echoMs : silentMs
      }
    } finally {
      for (const key of modifiers) await this.#sendPaced([keyEvent(key, true)])
    }
  }

  async #releaseEverything(more: readonly string[] = []): Promise<void> {
    const { keys, buttons, qcodes } = this.#held
    for (const key of new Set([...qcodes.toReversed(), ...more]))
      await this.#sendPaced([keyEvent(key, false)])
    for (const button of buttons) await this.#sendPaced([buttonEvent(buttonName(button), false)])
    keys.clear()
    buttons.clear()
  }

  async #sendPaced(events: readonly InputEvent[]): Promise<void> {
    await this.#send(events)
    this.#screen.gaveInput()
    await pause(gapMs)
  }

  async #send(events: readonly InputEvent[]): Promise<void> {
    try {
      await withTimeout(this.#link.ask({ execute: 'input-send-event', arguments: { events: [...events] } }))
    } catch (cause) {
      if (cause instanceof Refusal)
        throw new MachineError('MACHINE_FAILED', `The machine did not take the input: ${cause.message}`, {
          cause,
        })
      // An answer that comes too late would be taken for that of another request.
      this.#link.close()
      throw cause
    }
  }

  /** Does work after all that was requested before. */
  #run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }

  /** The same for callers that do not wait; `taken` reports the failure. */
  #post(work: () => Promise<void>): void {
    this.#run(work).catch(error => {
      this.#failure ??= { error }
    })
  }
}

/** Presses keys one after another. A modifier that the next key needs as well stays down. */
function eventsOf(strokes: readonly Stroke[]): InputEvent[] {
  const events: InputEvent[] = []
  let down: readonly string[] = []
  const hold = (wanted: readonly string[]) => {
    for (const key of down.toReversed()) if (!wanted.includes(key)) events.push(keyEvent(key, false))
    for (const key of wanted) if (!down.includes(key)) events.push(keyEvent(key, true))
    down = wanted
  }
  for (const { qcode, modifiers } of strokes) {
    hold(modifiers)
    events.push(keyEvent(qcode, true), keyEvent(qcode, false))
  }
  hold([])
  return events
}
