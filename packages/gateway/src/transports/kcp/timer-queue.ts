export interface ScheduledTask {
  /** Does what is due, and says when it wants to be called next; Infinity for never. */
  runDue(now: number): number
}

/** The clock of conversations, in milliseconds; it never goes back. */
export const clock = (): number => performance.now()

/**
 * One timer for any number of appointments, and none while there are none. Looking for the next one takes all of them in turn, which
 * for the thousands that one port serves is less than what each has to do.
 */
export class TimerQueue {
  readonly #times = new Map<ScheduledTask, number>()
  readonly #soon = new Set<ScheduledTask>()
  #immediate: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  get size(): number {
    return this.#times.size
  }

  at(task: ScheduledTask, time: number): void {
    this.#times.set(task, time)
    this.#arm(time)
  }

  /** Keeps the appointment when all datagrams that are there have been read, so that one answer serves for many. */
  soon(task: ScheduledTask): void {
    this.#soon.add(task)
    this.#immediate ??= setImmediate(() => {
      this.#immediate = undefined
      const due = [...this.#soon]
      this.#soon.clear()
      this.#runAll(due)
    })
  }

  remove(task: ScheduledTask): void {
    this.#times.delete(task)
    this.#soon.delete(task)
    if (this.#times.size === 0) this.#disarm()
  }

  #runAll(due: readonly ScheduledTask[]): void {
    const now = clock()
    for (const task of due) {
      if (!this.#times.has(task)) continue
      const next = task.runDue(now)
      // It may have been removed, or have asked to be called soon, while it was kept.
      if (this.#times.has(task)) this.at(task, next)
    }
  }

  #arm(time: number): void {
    if (time >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = time
    // A timer of Node's waits no longer than 2^31 ms, and fires early by less than one.
    const waitMs = Math.min(2 ** 31 - 1, Math.max(1, Math.ceil(time - clock())))
    this.#timer = setTimeout(() => this.#onTimer(), waitMs)
  }

  #onTimer(): void {
    this.#disarm()
    const now = clock()
    this.#runAll([...this.#times].filter(([, time]) => time <= now).map(([task]) => task))
    let next = Number.POSITIVE_INFINITY
    for (const time of this.#times.values()) next = Math.min(next, time)
    this.#arm(next)
  }

  #disarm(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
  }
}
