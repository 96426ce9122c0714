import { changeKeyboardMapping } from '@sandglass/wire/x11'

/**
 * Spare keys that are remapped to keysyms for which the layout has no key. Modifiers do not affect them: both levels
 * hold the same keysym, because X treats a single letter on a key as both of its cases.
 */
export class RemappedKeys {
  readonly #keycodes: readonly number[]
  readonly #first: number
  /** The keysyms of all keycodes from the first on, including those in between that are not remapped. */
  readonly #rows: number[][]
  readonly #assigned = new Map<number, number>()
  /** Keys whose presses the focused program may not have read yet; their keysyms must not change. */
  readonly #inUse = new Set<number>()
  readonly #changed = new Set<number>()
  #next = 0

  /** Reuses the mappings that an earlier connection left behind. */
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
      if (plain && plain === shifted) this.#assigned.set(plain, keycode)
    }
  }

  /** Returns the key for this keysym, or undefined if every key is in use until `release`. */
  assign(keysym: number): number | undefined {
    const keycode = this.#assigned.get(keysym) ?? this.#bind(keysym)
    if (keycode !== undefined) this.#inUse.add(keycode)
    return keycode
  }

  /**
   * Releases all keys except for the keysyms in `held`, which are still down. Call it once every press has been read.
   */
  release(held: Iterable<number>): void {
    this.#inUse.clear()
    for (const keysym of held) {
      const keycode = this.#assigned.get(keysym)
      if (keycode !== undefined) this.#inUse.add(keycode)
    }
  }

  /** Returns the request that tells the server what changed since the last call, or undefined. */
  takeChange(): Uint8Array | undefined {
    if (this.#changed.size === 0) return
    const [from, to] = [Math.min(...this.#changed), Math.max(...this.#changed)]
    this.#changed.clear()
    return changeKeyboardMapping(from, this.#rows.slice(from - this.#first, to - this.#first + 1))
  }

  /** Uses the keys in turn, so that each mapping lasts as long as possible. */
  #bind(keysym: number): number | undefined {
    for (const _ of this.#keycodes) {
      const keycode = this.#keycodes[this.#next] ?? this.#first
      this.#next = (this.#next + 1) % this.#keycodes.length
      if (this.#inUse.has(keycode)) continue
      const [before = 0] = this.#rows[keycode - this.#first] ?? []
      if (this.#assigned.get(before) === keycode) this.#assigned.delete(before)
      this.#rows[keycode - this.#first] = [keysym, keysym]
      this.#assigned.set(keysym, keycode)
      this.#changed.add(keycode)
      return keycode
    }
    return undefined
  }
}
