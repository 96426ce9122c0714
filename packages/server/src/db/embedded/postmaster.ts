import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Reports } from './reports.ts'

/** Times after which a server is considered stuck. They are long, because a slow disk must not look like that. */
export interface Patience {
  /** How long a server that starts may report nothing. It reports its progress every 10 s while it recovers. */
  readonly startMs: number
  /** How long a shutdown may take before a harder one follows. */
  readonly stopMs: number
}

const defaultPatience: Patience = { startMs: 300_000, stopMs: 60_000 }

/** How many of the last lines are quoted if the server ends. */
const quotedLines = 20

/** A process of PostgreSQL that serves, or ends: a server that is stuck while it starts or stops is killed. */
export class Postmaster {
  /** Settles when the server accepts connections, and rejects if it ends before that. */
  readonly ready: Promise<void>
  /** Settles when the process has ended, or if it could not be started. */
  readonly exited: Promise<void>

  readonly #child: ChildProcess
  readonly #reports: Reports
  readonly #patience: Patience
  readonly #lastLines: string[] = []
  #isReady = false
  #hasExited = false
  #isEnding = false
  #stuck: NodeJS.Timeout | undefined

  constructor(child: ChildProcess, reports: Reports, patience = defaultPatience) {
    this.#child = child
    this.#reports = reports
    this.#patience = patience
    const ready = Promise.withResolvers<void>()
    const exited = Promise.withResolvers<void>()
    this.ready = ready.promise
    this.exited = exited.promise
    // Whoever only waits for the end does not look at this one.
    this.ready.catch(() => {})
    const onExit = (problem: unknown) => {
      clearTimeout(this.#stuck)
      this.#hasExited = true
      ready.reject(problem)
      exited.resolve()
    }
    child.on('error', error => this.#child.pid === undefined && onExit(error))
    child.once('exit', (code, signal) => onExit(this.#end(code ?? signal)))
    if (child.stderr)
      createInterface({ input: child.stderr }).on('line', line => {
        if (line.includes('database system is ready to accept connections')) {
          this.#isReady = true
          clearTimeout(this.#stuck)
          return ready.resolve()
        }
        this.#lastLines.push(line)
        if (this.#lastLines.length > quotedLines) this.#lastLines.shift()
        // Refused connections are no progress, and they are not reported as LOG.
        if (line.startsWith('LOG:') && !this.#isReady && !this.#isEnding) this.#watch()
        if (/^(WARNING|ERROR|FATAL|PANIC)/.test(line)) reports.warn(`postgres: ${line}`)
      })
    this.#watch()
  }

  /** Shuts down. What does not finish in time is cut short, and the next server recovers from its log. */
  end(): void {
    void this.#signal(['SIGINT', 'SIGQUIT', 'SIGKILL'])
  }

  #watch(): void {
    clearTimeout(this.#stuck)
    this.#stuck = setTimeout(() => {
      this.#reports.warn('the embedded database neither starts nor ends; replacing it')
      void this.#signal(['SIGQUIT', 'SIGKILL'])
    }, this.#patience.startMs)
  }

  async #signal(signals: readonly NodeJS.Signals[]): Promise<void> {
    if (this.#isEnding) return
    this.#isEnding = true
    clearTimeout(this.#stuck)
    for (const signal of signals) {
      if (this.#hasExited) return
      this.#child.kill(signal)
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, this.#patience.stopMs)
      await Promise.race([this.exited, late.promise])
      clearTimeout(timer)
    }
  }

  #end(how: number | string | null): Error {
    return new Error(`The embedded database ended with ${how}: ${this.#lastLines.join('\n')}`)
  }
}
