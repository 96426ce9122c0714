export interface Appointment {
  /** Does what is due, and says when it wants to be called next; Infinity for never. */
  keep(now: number): number
}

/** The clock of conversations, in milliseconds; it never goes back. */
export const clock = (): number => performance.now()

/**
 * One timer for any number of appointments, and none while there are none. Looking for the next one takes all of them in turn, which
 * for the thousands that one port serves is less than what each has to do.
 */
export class Agenda {
  readonly #times = new Map<Appointment, number>()
  readonly #soon = new Set<Appointment>()
  #immediate: NodeJS.Immediate | undefined
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  get size(): number {
    return this.#times.size
  }

  at(appointment: Appointment, time: number): void {
    this.#times.set(appointment, time)
    this.#wind(time)
  }

  /** Keeps the appointment when all datagrams that are there have been read, so that one answer serves for many. */
  soon(appointment: Appointment): void {
    this.#soon.add(appointment)
    this.#immediate ??= setImmediate(() => {
      this.#immediate = undefined
      const due = [...this.#soon]
      this.#soon.clear()
      this.#keep(due)
    })
  }

  remove(appointment: Appointment): void {
    this.#times.delete(appointment)
    this.#soon.delete(appointment)
    if (this.#times.size === 0) this.#unwind()
  }

  #keep(due: readonly Appointment[]): void {
    const now = clock()
    for (const appointment of due) {
      if (!this.#times.has(appointment)) continue
      const next = appointment.keep(now)
      // It may have been removed, or have asked to be called soon, while it was kept.
      if (this.#times.has(appointment)) this.at(appointment, next)
    }
  }

  #wind(time: number): void {
    if (time >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = time
    // A timer of Node's waits no longer than 2^31 ms, and fires early by less than one.
    const waitMs = Math.min(2 ** 31 - 1, Math.max(1, Math.ceil(time - clock())))
    this.#timer = setTimeout(() => this.#strike(), waitMs)
  }

  #strike(): void {
    this.#unwind()
    const now = clock()
    this.#keep([...this.#times].filter(([, time]) => time <= now).map(([appointment]) => appointment))
    let next = Number.POSITIVE_INFINITY
    for (const time of this.#times.values()) next = Math.min(next, time)
    this.#wind(next)
  }

  #unwind(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#timerAt = Number.POSITIVE_INFINITY
  }
}
