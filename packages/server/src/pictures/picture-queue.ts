import { queueOptionsSymbol, type TaskQueue } from 'piscina'

type Task = NonNullable<ReturnType<TaskQueue['shift']>>

/**
 * The pictures that wait for an encoder. Those that somebody waits for go first, in the order in which they were queued:
 * most pictures of a busy agent are never fetched, and must not delay the ones that are.
 */
export class PictureQueue implements TaskQueue {
  readonly #hurried = new Set<string>()
  #first: Task[] = []
  #later: Task[] = []

  get size(): number {
    return this.#first.length + this.#later.length
  }

  /** Somebody waits for this picture, which may not be queued yet. */
  hurry(id: string): void {
    if (this.#hurried.has(id)) return
    this.#hurried.add(id)
    const task = this.#later.find(waiting => idOf(waiting) === id)
    if (!task) return
    this.remove(task)
    this.#first.push(task)
  }

  /** The picture is encoded, or never will be. */
  forget(id: string): void {
    this.#hurried.delete(id)
  }

  push(task: Task): void {
    this.#lineOf(task).push(task)
  }

  unshift(task: Task): void {
    this.#lineOf(task).unshift(task)
  }

  shift(): Task | null {
    return this.#first.shift() ?? this.#later.shift() ?? null
  }

  remove(task: Task): void {
    this.#first = this.#first.filter(waiting => waiting !== task)
    this.#later = this.#later.filter(waiting => waiting !== task)
  }

  /** What has no id is made while somebody waits for it. */
  #lineOf(task: Task): Task[] {
    const id = idOf(task)
    return id === undefined || this.#hurried.has(id) ? this.#first : this.#later
  }
}

function idOf(task: Task): string | undefined {
  const options = task[queueOptionsSymbol]
  return options && 'id' in options && typeof options.id === 'string' ? options.id : undefined
}
