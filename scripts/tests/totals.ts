import type { EventData } from 'node:test'

/** How many of the slowest files are named at the end, which is where time can be saved. */
const shown = 25

/** What all files of a run came to. */
export class Totals {
  readonly #startedMs = performance.now()
  readonly #took: { readonly path: string; readonly ms: number }[] = []
  readonly #processor = new Map<string, number>()
  #counts = { tests: 0, suites: 0, passed: 0, cancelled: 0, skipped: 0, todo: 0 }
  #isPassed = true

  add(path: string, { counts, duration_ms: ms, success }: EventData.TestSummary): void {
    this.#took.push({ path, ms })
    if (!success) this.#isPassed = false
    const sum = this.#counts
    this.#counts = {
      tests: sum.tests + counts.tests,
      suites: sum.suites + counts.suites,
      passed: sum.passed + counts.passed,
      cancelled: sum.cancelled + counts.cancelled,
      skipped: sum.skipped + counts.skipped,
      todo: sum.todo + counts.todo,
    }
  }

  /** The seconds of processor time that a file and the processes took that it has waited for. */
  addProcessor(path: string, seconds: number): void {
    this.#processor.set(path, seconds)
  }

  get isPassed(): boolean {
    return this.#isPassed
  }

  /** The lines that end a report of node:test. */
  get lines(): string[] {
    const { tests, suites, passed, cancelled, skipped, todo } = this.#counts
    return [
      `tests ${tests}`,
      `suites ${suites}`,
      `pass ${passed}`,
      `fail ${tests - passed - cancelled - skipped - todo}`,
      `cancelled ${cancelled}`,
      `skipped ${skipped}`,
      `todo ${todo}`,
      `duration_ms ${Math.round(performance.now() - this.#startedMs)}`,
    ]
  }

  /** The slowest files, slowest first. */
  get slowest(): string[] {
    return this.#took
      .toSorted((a, b) => b.ms - a.ms)
      .slice(0, shown)
      .map(({ path, ms }) => inSeconds(ms / 1000, path))
  }

  /** The files that took most processor time, and the sum of all. */
  get busiest(): string[] {
    const all = [...this.#processor].toSorted(([, a], [, b]) => b - a)
    const sum = all.reduce((total, [, seconds]) => total + seconds, 0)
    return [...all.slice(0, shown), ['all files', sum] as const].map(([path, seconds]) =>
      inSeconds(seconds, path),
    )
  }
}

function inSeconds(seconds: number, path: string): string {
  return `${seconds.toFixed(0).padStart(5)} s  ${path}`
}
