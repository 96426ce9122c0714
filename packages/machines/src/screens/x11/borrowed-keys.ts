import { changeKeyboardMapping } from '@sandglass/wire/x11'
import type { Stroke } from './keymap.ts'

/**
 * The last keycodes, where keyboards have keys for media and vendors. They are lent to keysyms that the layout has no
 * key for, two each: plain, and with Shift.
 */
export class BorrowedKeys {
  readonly #first: number
  /** By slot: the keysym that is on it. */
  readonly #keysyms: number[]
  readonly #slots = new Map<number, number>()
  /** Slots whose presses the program in front may not have read yet; what is on them must not change. */
  readonly #inUse = new Set<number>()
  readonly #changed = new Set<number>()
  #next = 0

  /** Takes over what an earlier connection left there. */
  constructor(first: number, rows: readonly (readonly number[])[]) {
    this.#first = first
    this.#keysyms = rows.flatMap(row => [row[0] ?? 0, row[1] ?? row[0] ?? 0])
    this.#keysyms.forEach((keysym, slot) => {
      if (keysym !== 0 && !this.#slots.has(keysym)) this.#slots.set(keysym, slot)
    })
  }

  /** The key for this keysym; undefined where there is none, and none is free before `free`. */
  lend(keysym: number): Stroke | undefined {
    const slot = this.#slots.get(keysym) ?? this.#bind(keysym)
    if (slot === undefined) return
    this.#inUse.add(slot)
    return { keycode: this.#first + (slot >> 1), shift: (slot & 1) === 1 }
  }

  /** Everything that was pressed has been read, except for the keys of `held`, which are still down. */
  free(held: Iterable<number>): void {
    this.#inUse.clear()
    for (const keysym of held) {
      const slot = this.#slots.get(keysym)
      if (slot !== undefined) this.#inUse.add(slot)
    }
  }

  /** Tells the server what changed since the last time; nothing where nothing did. */
  takeChange(): Uint8Array | undefined {
    if (this.#changed.size === 0) return
    const keys = [...this.#changed].map(slot => slot >> 1)
    this.#changed.clear()
    const from = Math.min(...keys)
    const rows: number[][] = []
    for (let key = from; key <= Math.max(...keys); key++) rows.push(this.#row(key))
    return changeKeyboardMapping(this.#first + from, rows)
  }

  #bind(keysym: number): number | undefined {
    const slots = this.#keysyms.length
    for (let tried = 0; tried < slots; tried++) {
      const slot = this.#next
      this.#next = (slot + 1) % slots
      if (this.#inUse.has(slot)) continue
      const before = this.#keysyms[slot] ?? 0
      if (this.#slots.get(before) === slot) this.#slots.delete(before)
      this.#keysyms[slot] = keysym
      this.#slots.set(keysym, slot)
      this.#changed.add(slot)
      return slot
    }
    return undefined
  }

  /** Both levels are always filled: X takes a letter alone on a key for both of its cases. */
  #row(key: number): number[] {
    const [plain = 0, shifted = 0] = this.#keysyms.slice(2 * key, 2 * key + 2)
    return [plain || shifted, shifted || plain]
  }
}
