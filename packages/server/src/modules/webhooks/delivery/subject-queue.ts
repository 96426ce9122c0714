/**
 * A queue in which items of the same subject are taken one after the other: the next one only when the one before it is done. Items
 * of different subjects do not wait for each other.
 */
export class SubjectQueue<Item extends { readonly subject: string }> {
  readonly #waiting = new Map<string, Item[]>()
  /** The subjects that have waiting items and none that was taken, in the order in which they became ready. */
  readonly #ready = new Set<string>()
  readonly #taken = new Set<string>()

  /** How many items could be taken now. */
  get ready(): number {
    return this.#ready.size
  }

  add(item: Item): void {
    const waiting = this.#waiting.get(item.subject)
    if (waiting) waiting.push(item)
    else this.#waiting.set(item.subject, [item])
    if (!this.#taken.has(item.subject)) this.#ready.add(item.subject)
  }

  /** Takes the next item, if there is one whose subject is free. Call {@link done} with its subject afterwards. */
  take(): Item | undefined {
    for (const subject of this.#ready) {
      this.#ready.delete(subject)
      const waiting = this.#waiting.get(subject)
      const item = waiting?.shift()
      if (waiting?.length === 0) this.#waiting.delete(subject)
      if (!item) continue
      this.#taken.add(subject)
      return item
    }
    return undefined
  }

  done(subject: string): void {
    this.#taken.delete(subject)
    if (this.#waiting.has(subject)) this.#ready.add(subject)
  }

  /** Removes and returns what was not taken. */
  clear(): Item[] {
    const items = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    this.#ready.clear()
    return items
  }
}
