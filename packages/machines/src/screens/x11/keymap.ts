import { getKeyboardMapping, readKeyboardMapping } from '@sandglass/wire/x11'
import { RemappedKeys } from './remapped-keys.ts'
import type { X11Connection } from './x11-connection.ts'

/** A key to press, with or without Shift. */
export interface Stroke {
  readonly keycode: number
  readonly shift: boolean
}

/** From here on keyboards have media and vendor keys, which are remapped, except for modifiers among them. */
const firstSpare = 160

const leftTab = 0xfe20

/** Maps keysyms to keys. */
export class Keymap {
  readonly remapped: RemappedKeys
  readonly #layout = new Map<number, Stroke>()

  /** `rows` holds the keysyms of each keycode, starting at `minKeycode`. */
  constructor(minKeycode: number, rows: readonly (readonly number[])[], modifiers: ReadonlySet<number>) {
    const keycodes = rows.map((_, i) => minKeycode + i)
    const spare = keycodes.filter(keycode => keycode >= firstSpare && !modifiers.has(keycode))
    this.remapped = new RemappedKeys(spare, keycode => rows[keycode - minKeycode] ?? [])
    for (const shift of [false, true])
      for (const keycode of keycodes.filter(each => !spare.includes(each))) {
        const keysym = rows[keycode - minKeycode]?.[shift ? 1 : 0]
        if (keysym && !this.#layout.has(keysym) && (!shift || isReachedByShift(keysym)))
          this.#layout.set(keysym, { keycode, shift })
      }
  }

  static async read(connection: X11Connection, modifiers: ReadonlySet<number>): Promise<Keymap> {
    const { minKeycode, maxKeycode } = connection.setup
    const count = maxKeycode - minKeycode + 1
    const read = (reply: Uint8Array) => readKeyboardMapping(reply, count)
    return new Keymap(
      minKeycode,
      await connection.ask(getKeyboardMapping(minKeycode, count), read),
      modifiers,
    )
  }

  /** Returns the key for this keysym, or undefined if it needs a remapped key and all of them are in use. */
  strokeOf(keysym: number): Stroke | undefined {
    const own = this.#layout.get(keysym)
    if (own) return own
    const keycode = this.remapped.assign(keysym)
    return keycode === undefined ? undefined : { keycode, shift: false }
  }
}

/** The second level of other keys is reached by Num Lock, Control or Alt, for example KP_0, Break and Sys_Req. */
function isReachedByShift(keysym: number): boolean {
  return keysym <= 0xff || keysym === leftTab
}
