import { write } from 'node:fs'
import { promisify } from 'node:util'
import { maxSlots, offsetOf, type Place, slotBytes } from './raw-frame.ts'

const writeTo = promisify(write)

/**
 * A file for the pixels of frames that were not encoded yet. What is written there costs no memory of this process, and is
 * still there after it has ended, however it ended: then another worker is given the file. Nothing is synced, as with
 * stored pictures.
 */
export class RawFile {
  readonly name: string
  readonly descriptor: number
  readonly #slots: number
  /** How many frames need each place. Places that nobody needs are not in it. */
  readonly #uses = new Map<Place, number>()
  readonly #free: Place[] = []
  #touched = 0
  readonly #reclaiming = new Set<() => void>()

  /** The name is that by which whoever gave the file knows it, if it matters. */
  constructor(descriptor: number, { name = '', slots = maxSlots } = {}) {
    this.name = name
    this.descriptor = descriptor
    this.#slots = slots
  }

  /** The share of the slots that are in use. */
  get fill(): number {
    return this.#uses.size / this.#slots
  }

  /** Calls back when slots are short, until the returned function is called. Release what is held only to save work. */
  onReclaim(release: () => void): () => void {
    this.#reclaiming.add(release)
    return () => void this.#reclaiming.delete(release)
  }

  reclaim(): void {
    for (const release of this.#reclaiming) release()
  }

  /** Reserves places, each for one user. Returns undefined if there are not as many. */
  reserve(count: number): Place[] | undefined {
    if (this.#free.length + this.#slots - this.#touched < count) return undefined
    return Array.from({ length: count }, () => {
      const place = this.#free.pop() ?? this.#touched++
      this.#uses.set(place, 1)
      return place
    })
  }

  has(places: readonly Place[]): boolean {
    return places.every(place => this.#uses.has(place))
  }

  use(places: readonly Place[]): void {
    for (const place of places) this.#uses.set(place, (this.#uses.get(place) ?? 0) + 1)
  }

  release(places: readonly Place[]): void {
    for (const place of places) {
      const uses = this.#uses.get(place)
      if (uses === undefined) continue
      if (uses > 1) this.#uses.set(place, uses - 1)
      else {
        this.#uses.delete(place)
        // The next content of the slot has another name.
        this.#free.push(place + maxSlots)
      }
    }
  }

  /** Writes into places that were reserved, from the first on. Each takes what fits. */
  async write(places: readonly Place[], bytes: Uint8Array): Promise<void> {
    for (const [index, place] of places.entries()) {
      const part = bytes.subarray(index * slotBytes, (index + 1) * slotBytes)
      const { bytesWritten } = await writeTo(this.descriptor, part, 0, part.length, offsetOf(place))
      if (bytesWritten !== part.length) throw new Error('the file of raw frames is full')
    }
  }
}
