import { SandglassError } from '@sandglass/client'

/** How many different unexpected failures are kept with their whole text. */
const kept = 50

export interface Count {
  done: number
  /** Refusals with a reason that promise that nothing was done, because the host is full or a fault is under way. */
  refused: number
  failed: number
}

export interface Failure {
  /** When it happened first. */
  readonly at: string
  readonly what: string
  readonly text: string
  times: number
}

/** Refusals that a full host gives at any time. */
const alwaysHonest = new Set(['machine.NO_CAPACITY', 'machine.NOT_READY'])

/** Counts every call, and keeps what failed and should not have. */
export class Tally {
  readonly counts = new Map<string, Count>()
  readonly failures: Failure[] = []
  /** What was refused, by code. */
  readonly refusals = new Map<string, number>()
  failed = 0
  readonly #mayFail: () => boolean

  /** @param mayFail whether a fault is under way, during which calls are refused and connections break */
  constructor(mayFail: () => boolean) {
    this.#mayFail = mayFail
  }

  get done(): number {
    let total = 0
    for (const { done } of this.counts.values()) total += done
    return total
  }

  /** Counts what becomes of a call, and passes it on. */
  async of<T>(what: string, call: Promise<T>): Promise<T> {
    const mayFail = this.#mayFail()
    try {
      const result = await call
      this.#count(what).done++
      return result
    } catch (error) {
      this.#take(what, error, mayFail)
      throw error
    }
  }

  /** Something is not as it should be, although no call failed. */
  wrong(what: string, text: string): void {
    if (this.#mayFail()) this.#refused(what, 'wrong during a fault')
    else this.#failed(what, text)
  }

  #take(what: string, error: unknown, mayHaveFailed: boolean): void {
    const known = error instanceof SandglassError ? error : undefined
    // A 500 is never right.
    const mayFail = known?.status !== 500 && (mayHaveFailed || this.#mayFail())
    if (known && alwaysHonest.has(known.code)) this.#refused(what, known.code)
    else if (mayFail) this.#refused(what, known?.code ?? 'broken connection')
    else {
      const request = known?.requestId ? ` (${known.code}, request ${known.requestId})` : ''
      this.#failed(what, `${error instanceof Error ? error.message : error}${request}`)
    }
  }

  #failed(what: string, text: string): void {
    this.#count(what).failed++
    this.failed++
    const same = this.failures.find(failure => failure.what === what && failure.text === text)
    if (same) same.times++
    else if (this.failures.length < kept)
      this.failures.push({ at: new Date().toISOString(), what, text, times: 1 })
  }

  #refused(what: string, code: string): void {
    this.#count(what).refused++
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1)
  }

  #count(what: string): Count {
    const count = this.counts.get(what) ?? { done: 0, refused: 0, failed: 0 }
    this.counts.set(what, count)
    return count
  }
}
