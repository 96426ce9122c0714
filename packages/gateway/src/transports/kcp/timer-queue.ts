export interface ScheduledTask {
  /** Does what is due and returns when to be called next; Infinity means never. */
  runDue(now: number): number
}

/** A monotonic clock in milliseconds. */
export const clock = (): number => performance.now()

/**
 * One timer for any number of tasks, and none while there are no tasks. Finding the next one is linear, which for the
 * thousands of conversations of one port costs less than the work of each.
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

  /** Runs the task once all datagrams that have arrived are read, so that one response covers many of them. */
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
      // The task may have removed or rescheduled itself while it ran.
      if (this.#times.has(task)) this.at(task, next)
    }
  }

  #arm(time: number): void {
    if (time >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = time
    // Node's timers wait at most 2^31 ms, and may fire up to a millisecond early.
    const waitMs = Math.min(2 ** 31 - 1, Math.max(1, Math.ceil(time - clock())))
    this.#timer = setTimeout(() => this.#onTimer(), waitMs)
  }

  #onTimer(): void {
    this.#disarm()
    const now = clock()
    const due = [...this.#times].filter(([, time]) => time <= now).sort(([, one], [, other]) => one - other)
    this.#runAll(due.map(([task]) => task))
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
