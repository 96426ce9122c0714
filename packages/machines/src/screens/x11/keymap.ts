import { getKeyboardMapping, readKeyboardMapping } from '@sandglass/wire/x11'
import { BorrowedKeys } from './borrowed-keys.ts'
import type { X11Connection } from './x11-connection.ts'

/** A key to press, with Shift or without. */
export interface Stroke {
  readonly keycode: number
  readonly shift: boolean
}

/** Keyboards have keys for media and vendors from here on. Those are lent out, but for modifiers among them. */
const firstLent = 160

const leftTab = 0xfe20

/** Which key gives which keysym. */
export class Keymap {
  readonly borrowed: BorrowedKeys
  readonly #layout = new Map<number, Stroke>()

  /** `rows` has the keysyms of each keycode from `minKeycode` on. */
  constructor(minKeycode: number, rows: readonly (readonly number[])[], modifiers: ReadonlySet<number>) {
    const keycodes = rows.map((_, i) => minKeycode + i)
    const lent = keycodes.filter(keycode => keycode >= firstLent && !modifiers.has(keycode))
    this.borrowed = new BorrowedKeys(lent, keycode => rows[keycode - minKeycode] ?? [])
    for (const shift of [false, true])
      for (const keycode of keycodes.filter(each => !lent.includes(each))) {
        const keysym = rows[keycode - minKeycode]?.[shift ? 1 : 0]
        if (keysym && !this.#layout.has(keysym) && (!shift || isReachedByShift(keysym)))
          this.#layout.set(keysym, { keycode, shift })
      }
  }

  static async read(connection: X11Connection, modifiers: ReadonlySet<number>): Promise<Keymap> {
    const { minKeycode, maxKeycode } = connection.setup
    const question = getKeyboardMapping(minKeycode, maxKeycode - minKeycode + 1)
    return new Keymap(minKeycode, await connection.ask(question, readKeyboardMapping), modifiers)
  }

  /** The key for this keysym; undefined where it needs a borrowed one and all of them are in use. */
  strokeOf(keysym: number): Stroke | undefined {
    const own = this.#layout.get(keysym)
    if (own) return own
    const keycode = this.borrowed.lend(keysym)
    return keycode === undefined ? undefined : { keycode, shift: false }
  }
}

/** The second level of other keys is reached by Num Lock, Control or Alt, as with KP_0, Break and Sys_Req. */
function isReachedByShift(keysym: number): boolean {
  return keysym <= 0xff || keysym === leftTab
}
