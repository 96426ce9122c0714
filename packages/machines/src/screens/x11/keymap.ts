import { getKeyboardMapping, readKeyboardMapping } from '@sandglass/wire/x11'
import { BorrowedKeys } from './borrowed-keys.ts'
import type { X11Connection } from './x11-connection.ts'

/** A key to press, with Shift or without. */
export interface Stroke {
  readonly keycode: number
  readonly shift: boolean
}

/** How many of the last keycodes are lent out. */
const lentKeycodes = 48

/** Which key gives which keysym. */
export class Keymap {
  readonly borrowed: BorrowedKeys
  readonly #layout = new Map<number, Stroke>()

  constructor(minKeycode: number, rows: readonly (readonly number[])[]) {
    const own = rows.length - lentKeycodes
    this.borrowed = new BorrowedKeys(minKeycode + own, rows.slice(own))
    for (const level of [0, 1])
      rows.slice(0, own).forEach((row, i) => {
        const keysym = row[level]
        if (keysym && !this.#layout.has(keysym))
          this.#layout.set(keysym, { keycode: minKeycode + i, shift: level === 1 })
      })
  }

  static async read(connection: X11Connection): Promise<Keymap> {
    const { minKeycode, maxKeycode } = connection.setup
    const question = getKeyboardMapping(minKeycode, maxKeycode - minKeycode + 1)
    return new Keymap(minKeycode, await connection.ask(question, readKeyboardMapping))
  }

  /** The key for this keysym; undefined where it needs a borrowed one and all of them are in use. */
  strokeOf(keysym: number): Stroke | undefined {
    return this.#layout.get(keysym) ?? this.borrowed.lend(keysym)
  }
}
