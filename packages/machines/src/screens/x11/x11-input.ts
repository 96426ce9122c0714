import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import {
  fake,
  fakeInput,
  getInputFocus,
  getModifierMapping,
  grabControl,
  grabServer,
  internAtom,
  queryExtension,
  queryPointer,
  readAtom,
  readExtension,
  readInputFocus,
  readModifierMapping,
  readPointer,
  ungrabServer,
  useXkb,
} from '@sandglass/wire/x11'
import { MachineError } from '../../contract/errors.ts'
import type { Input, MouseButton, TypeOptions } from '../../contract/input.ts'
import type { Point } from '../../contract/rect.ts'
import type { SettleOptions } from '../../contract/screen.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { WindowLog } from '../effects/window-log.ts'
import { Consumption } from './consumption.ts'
import { KeyboardCleaner, type Opcodes } from './keyboard-state.ts'
import { Keymap, type Stroke } from './keymap.ts'
import { releaseHeld } from './release-held.ts'
import { RootSize } from './root-size.ts'
import { keysOfText } from './text-keys.ts'
import { type ProgramWindow, windowAt } from './window-at.ts'
import { X11Connection } from './x11-connection.ts'

const buttons: Readonly<Record<MouseButton, number>> = {
  left: 1,
  middle: 2,
  right: 3,
  back: 8,
  forward: 9,
  wheelUp: 4,
  wheelDown: 5,
  wheelLeft: 6,
  wheelRight: 7,
}

const mouseButtons = Object.keys(buttons) as MouseButton[]

function bitOf(button: MouseButton): number {
  return 1 << (buttons[button] - 1)
}

/** How long to wait for a window manager to release its pointer grab. It usually takes a millisecond or two; a busy one needs longer. */
const grabTimeoutMs = 2000
const pollMs = 2

/** GTK processes a key before a click that came less than a frame or two earlier. No person is that fast. */
const clickToKeyMs = 60

const shiftKeysym = 0xffe1

/** The max number of characters to type during one server grab, while other clients are blocked. */
const maxStrokesPerGrab = 128

/** What input needs from the screen. */
export interface ScreenOfInput {
  /** Whether the pointer was last reported at this place. */
  isAt(place: Point): boolean
  moveTo(to: Point): Promise<void>
  settled(options: SettleOptions): Promise<boolean>
}

/** How long a screen must be quiet before a program that answers no pings is assumed to have read its input. */
const rest = { quietMs: 120, maxMs: 2000 }

interface PressedKey extends Stroke {
  readonly isShiftOurs: boolean
}

/** Input by XTEST and XKB over one connection. */
export class X11Input implements Input {
  readonly #connection: X11Connection
  readonly #opcodes: Opcodes
  readonly #keymap: Keymap
  readonly #consumption: Consumption
  readonly #cleaner: KeyboardCleaner
  readonly #shift: number
  readonly #down = new Map<number, PressedKey>()
  readonly #size: RootSize
  readonly #screen: ScreenOfInput
  #isUntaken = false
  /** A bit mask of the pressed buttons; bit 0 is button 1. */
  #pressed = 0
  /** How often a button was released, and how many of these programs have seen for certain. */
  #releases = 0
  #seenReleases = 0
  #lastButtonMs = 0

  private constructor(
    connection: X11Connection,
    opcodes: Opcodes,
    keymap: Keymap,
    consumption: Consumption,
    modifiers: ReadonlySet<number>,
    size: RootSize,
    screen: ScreenOfInput,
  ) {
    this.#connection = connection
    this.#size = size
    this.#opcodes = opcodes
    this.#keymap = keymap
    this.#screen = screen
    this.#consumption = consumption
    this.#cleaner = new KeyboardCleaner(connection, opcodes, modifiers)
    this.#shift = keymap.strokeOf(shiftKeysym)?.keycode ?? 0
  }

  /** `windows` is kept up to date by the same connection. */
  static async open(stream: Duplex, screen: ScreenOfInput, windows = new WindowLog()): Promise<X11Input> {
    const connection = await X11Connection.open(stream)
    try {
      const opcodes = {
        xtest: await opcodeOf(connection, 'XTEST'),
        xkb: await opcodeOf(connection, 'XKEYBOARD'),
      }
      await connection.ask(useXkb(opcodes.xkb), () => {})
      connection.send(grabControl(opcodes.xtest, true))
      await releaseHeld(connection, opcodes.xtest)
      const modifiers = await connection.ask(getModifierMapping(), readModifierMapping)
      const keymap = await Keymap.read(connection, modifiers)
      const consumption = await Consumption.open(connection, async signal => {
        await screen.settled({ ...rest, signal })
      })
      const size = await RootSize.follow(connection)
      await windows.follow(connection)
      return new X11Input(connection, opcodes, keymap, consumption, modifiers, size, screen)
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** Resolves with the reason when the connection has ended. */
  get closed(): Promise<Error> {
    return this.#connection.closed
  }

  close(): void {
    this.#connection.close()
  }

  /**
   * The screen moves the pointer over another connection, so everything sent before must have been processed. If the
   * pointer is already there, nothing has to be awaited; it is still moved, in case a program has just moved it.
   */
  async move(to: Point): Promise<void> {
    await this.released()
    if (this.#screen.isAt(to)) {
      this.#fake(fake.motion, 0, to)
      return
    }
    if (this.#isUntaken) await this.taken()
    await this.#screen.moveTo(to)
  }

  press(button: MouseButton): void {
    this.#pressed |= bitOf(button)
    this.#lastButtonMs = performance.now()
    this.#fake(fake.buttonDown, buttons[button])
  }

  release(button: MouseButton): void {
    this.#pressed &= ~bitOf(button)
    this.#releases++
    this.#lastButtonMs = performance.now()
    this.#fake(fake.buttonUp, buttons[button])
  }

  /**
   * A window manager that raises windows on click holds a pointer grab until it has processed the click. Keys pressed in the meantime
   * would overtake it, and the server takes another press for the one that has not ended yet, so a click would be lost. Until then the
   * server reports the button as down although it was released.
   */
  async released(signal?: AbortSignal): Promise<void> {
    const giveUpMs = performance.now() + grabTimeoutMs
    while (this.#seenReleases < this.#releases && this.#pressed === 0) {
      signal?.throwIfAborted()
      const { buttons } = await this.#askPointer()
      if (buttons === 0) continue
      if (performance.now() > giveUpMs) this.#seenReleases = this.#releases
      else await pause(pollMs, undefined, { signal })
    }
  }

  async prepare(keysyms: readonly number[], signal?: AbortSignal): Promise<void> {
    if (keysyms.length === 0) return
    await this.#afterClick(signal)
    if (!keysyms.every(keysym => this.#keymap.strokeOf(keysym))) {
      await this.#consumed(signal)
      if (!keysyms.every(keysym => this.#keymap.strokeOf(keysym)))
        throw new MachineError('INVALID', 'too many keys are held to press these')
    }
    this.#sendKeymap()
  }

  keyDown(keysym: number): void {
    const stroke = this.#keymap.strokeOf(keysym)
    if (!stroke) throw new Error('a key was pressed that was not prepared')
    const isShiftOurs = stroke.shift && !this.#isDown(this.#shift)
    if (isShiftOurs) this.#fake(fake.keyDown, this.#shift)
    this.#fake(fake.keyDown, stroke.keycode)
    this.#down.set(keysym, { ...stroke, isShiftOurs })
  }

  /** Also releases a key that another client pressed. */
  keyUp(keysym: number): void {
    const key = this.#down.get(keysym) ?? this.#keymap.strokeOf(keysym)
    this.#down.delete(keysym)
    if (!key) return
    this.#fake(fake.keyUp, key.keycode)
    if ('isShiftOurs' in key && key.isShiftOurs) this.#fake(fake.keyUp, this.#shift)
  }

  async releaseAll(): Promise<void> {
    for (const keysym of [...this.#down.keys()]) this.keyUp(keysym)
    for (const button of mouseButtons) if (this.#pressed & bitOf(button)) this.release(button)
    if (this.#isUntaken) await this.taken()
  }

  /** The current size of the screen. */
  get size(): ScreenSize {
    return this.#size.now
  }

  /** The topmost window at this place. */
  async windowAt(at: Point): Promise<ProgramWindow | undefined> {
    const processOf = await this.#connection.ask(internAtom('_NET_WM_PID'), readAtom)
    return windowAt(this.#connection, processOf, at)
  }

  async taken(): Promise<Point> {
    this.#isUntaken = false
    const { x, y } = await this.#askPointer()
    return { x, y }
  }

  async #askPointer(): Promise<ReturnType<typeof readPointer>> {
    const releases = this.#releases
    const answer = await this.#connection.ask(queryPointer(this.#connection.setup.root), readPointer)
    if (answer.buttons === 0) this.#seenReleases = Math.max(this.#seenReleases, releases)
    return answer
  }

  async type(text: string, { lineBreak, signal }: TypeOptions): Promise<void> {
    await this.#afterClick(signal)
    let strokes: Stroke[] = []
    for (const { keysym, withShift } of keysOfText(text, lineBreak)) {
      let stroke = this.#keymap.strokeOf(keysym)
      if (!stroke) {
        await this.#typeStrokes(strokes, signal)
        strokes = []
        await this.#consumed(signal)
        stroke = this.#keymap.strokeOf(keysym)
      }
      if (!stroke) throw new MachineError('INVALID', 'too many keys are held to type this text')
      strokes.push(withShift ? { ...stroke, shift: true } : stroke)
      if (strokes.length === maxStrokesPerGrab) {
        await this.#typeStrokes(strokes, signal)
        strokes = []
      }
    }
    await this.#typeStrokes(strokes, signal)
  }

  /** Types during a server grab, so that input of another client cannot be interleaved with the text. */
  async #typeStrokes(strokes: readonly Stroke[], signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (strokes.length === 0) return
    this.#connection.send(grabServer())
    try {
      const restore = await this.#cleaner.clean()
      this.#sendKeymap()
      for (const { keycode, shift } of strokes) {
        if (shift) this.#fake(fake.keyDown, this.#shift)
        this.#fake(fake.keyDown, keycode)
        this.#fake(fake.keyUp, keycode)
        if (shift) this.#fake(fake.keyUp, this.#shift)
      }
      restore()
    } finally {
      if (this.#connection.isOpen) this.#connection.send(ungrabServer())
    }
    await this.#connection.ask(getInputFocus(), readInputFocus)
  }

  async #afterClick(signal: AbortSignal | undefined): Promise<void> {
    const leftMs = this.#lastButtonMs + clickToKeyMs - performance.now()
    if (leftMs > 0) await pause(leftMs, undefined, { signal })
    await this.released(signal)
  }

  async #consumed(signal: AbortSignal | undefined): Promise<void> {
    await this.#consumption.complete(signal)
    this.#keymap.remapped.release(this.#down.keys())
  }

  #sendKeymap(): void {
    const change = this.#keymap.remapped.takeChange()
    if (change) this.#connection.send(change)
  }

  #isDown(keycode: number): boolean {
    return [...this.#down.values()].some(key => key.keycode === keycode || key.isShiftOurs)
  }

  #fake(event: number, detail: number, at?: Point): void {
    this.#isUntaken = true
    this.#connection.send(fakeInput(this.#opcodes.xtest, event, detail, at?.x, at?.y))
  }
}

async function opcodeOf(connection: X11Connection, name: string): Promise<number> {
  const extension = await connection.ask(queryExtension(name), readExtension)
  if (!extension)
    throw new MachineError('MACHINE_FAILED', `the X server of the machine has no ${name} extension`)
  return extension.opcode
}
