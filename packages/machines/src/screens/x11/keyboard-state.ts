import {
  fake,
  fakeInput,
  getState,
  type KeyboardState,
  queryKeymap,
  readKeymap,
  readState,
  setLocks,
} from '@sandglass/wire/x11'
import type { X11Connection } from './x11-connection.ts'

export interface Opcodes {
  readonly xtest: number
  readonly xkb: number
}

/** Num Lock, which changes nothing that is typed. */
const harmless = 0x10

/** The modifiers that are held, latched or locked, taken away for a while and given back. */
export class KeyboardCleaner {
  readonly #connection: X11Connection
  readonly #opcodes: Opcodes
  readonly #modifiers: ReadonlySet<number>

  constructor(connection: X11Connection, opcodes: Opcodes, modifiers: ReadonlySet<number>) {
    this.#connection = connection
    this.#opcodes = opcodes
    this.#modifiers = modifiers
  }

  /** Makes the keyboard plain; what comes back makes it again what it was. */
  async clean(): Promise<() => void> {
    const { xkb } = this.#opcodes
    const [state, down] = await Promise.all([
      this.#connection.ask(getState(xkb), readState),
      this.#connection.ask(queryKeymap(), readKeymap),
    ])
    const held = state.held === 0 ? [] : down.filter(keycode => this.#modifiers.has(keycode))
    for (const keycode of held) this.#key(fake.keyUp, keycode)
    const locks = isPlain(state) ? undefined : state
    if (locks) this.#connection.send(setLocks(xkb, locks.locked & harmless, 0))
    return () => {
      if (locks) this.#connection.send(setLocks(xkb, locks.locked, locks.lockedGroup))
      for (const keycode of held) this.#key(fake.keyDown, keycode)
    }
  }

  #key(event: number, keycode: number): void {
    this.#connection.send(fakeInput(this.#opcodes.xtest, event, keycode))
  }
}

function isPlain({ latched, locked, lockedGroup }: KeyboardState): boolean {
  return latched === 0 && (locked & ~harmless) === 0 && lockedGroup === 0
}
