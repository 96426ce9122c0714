import { changeKeyboardMapping } from '@sandglass/wire/x11'

/**
 * Keys that are lent to keysyms which the layout has no key for. Shift, Caps Lock and the rest change nothing on them:
 * a key has its keysym on both of its levels, since X takes a letter alone on a key for both of its cases.
 */
export class BorrowedKeys {
  readonly #keycodes: readonly number[]
  readonly #first: number
  /** By keycode from the first on: what is on them, also on those between that are not lent. */
  readonly #rows: number[][]
  readonly #lent = new Map<number, number>()
  /** Keys whose presses the program in front may not have read yet; what is on them must not change. */
  readonly #inUse = new Set<number>()
  readonly #changed = new Set<number>()
  #next = 0

  /** Takes over what an earlier connection left on them. */
  constructor(keycodes: readonly number[], keysymsOf: (keycode: number) => readonly number[]) {
    this.#keycodes = keycodes
    this.#first = Math.min(...keycodes)
    const count = Math.max(...keycodes) - this.#first + 1
    this.#rows = Array.from({ length: count }, (_, i) => {
      const [plain = 0, shifted = plain] = keysymsOf(this.#first + i)
      return [plain, shifted]
    })
    for (const keycode of keycodes) {
      const [plain, shifted] = this.#rows[keycode - this.#first] ?? []
      if (plain && plain === shifted) this.#lent.set(plain, keycode)
    }
  }

  /** The key for this keysym; undefined where it has none, and none is free before `free`. */
  lend(keysym: number): number | undefined {
    const keycode = this.#lent.get(keysym) ?? this.#bind(keysym)
    if (keycode !== undefined) this.#inUse.add(keycode)
    return keycode
  }

  /** Everything that was pressed has been read, except for the keysyms of `held`, whose keys are still down. */
  free(held: Iterable<number>): void {
    this.#inUse.clear()
    for (const keysym of held) {
      const keycode = this.#lent.get(keysym)
      if (keycode !== undefined) this.#inUse.add(keycode)
    }
  }

  /** Tells the server what changed since the last time; nothing where nothing did. */
  takeChange(): Uint8Array | undefined {
    if (this.#changed.size === 0) return
    const [from, to] = [Math.min(...this.#changed), Math.max(...this.#changed)]
    this.#changed.clear()
    return changeKeyboardMapping(from, this.#rows.slice(from - this.#first, to - this.#first + 1))
  }

  /** Takes the keys in turn, so that one keeps what is on it for as long as can be. */
  #bind(keysym: number): number | undefined {
    for (const _ of this.#keycodes) {
      const keycode = this.#keycodes[this.#next] ?? this.#first
      this.#next = (this.#next + 1) % this.#keycodes.length
      if (this.#inUse.has(keycode)) continue
      const [before = 0] = this.#rows[keycode - this.#first] ?? []
      if (this.#lent.get(before) === keycode) this.#lent.delete(before)
      this.#rows[keycode - this.#first] = [keysym, keysym]
      this.#lent.set(keysym, keycode)
      this.#changed.add(keycode)
      return keycode
    }
    return undefined
  }
}
