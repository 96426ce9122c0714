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

/** The mask of Num Lock, which does not affect what is typed. */
const numLock = 0x10

/** Clears the modifiers that are held, latched or locked for a while, and restores them. */
export class KeyboardCleaner {
  readonly #connection: X11Connection
  readonly #opcodes: Opcodes
  readonly #modifiers: ReadonlySet<number>

  constructor(connection: X11Connection, opcodes: Opcodes, modifiers: ReadonlySet<number>) {
    this.#connection = connection
    this.#opcodes = opcodes
    this.#modifiers = modifiers
  }

  /** Clears all modifiers. The function that is returned restores them. */
  async clean(): Promise<() => void> {
    const { xkb } = this.#opcodes
    const [state, down] = await Promise.all([
      this.#connection.ask(getState(xkb), readState),
      this.#connection.ask(queryKeymap(), readKeymap),
    ])
    const held = state.held === 0 ? [] : down.filter(keycode => this.#modifiers.has(keycode))
    for (const keycode of held) this.#key(fake.keyUp, keycode)
    const locks = isPlain(state) ? undefined : state
    if (locks) this.#connection.send(setLocks(xkb, locks.locked & numLock, 0))
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
  return latched === 0 && (locked & ~numLock) === 0 && lockedGroup === 0
}
