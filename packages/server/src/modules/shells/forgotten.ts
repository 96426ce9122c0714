import type { ShellRequest } from '@sandglass/protocol'
import type { Shell } from './shell.ts'

/** How long a shell is kept that nobody reads, writes or streams, while it runs and when it has finished. */
export interface Patience {
  readonly runningMs: number
  readonly finishedMs: number
}

/** For a shell that its caller knows by its id; as long as the caller said that it may take, where that is longer. */
export const patienceFor = ({ timeoutSeconds = 0 }: ShellRequest): Patience => ({
  runningMs: Math.max(3_600_000, timeoutSeconds * 1000),
  finishedMs: 600_000,
})
/** For one that was made with its stream: long enough to connect again. */
export const brief: Patience = { runningMs: 10_000, finishedMs: 10_000 }

/** Tells when a shell has been forgotten. Whoever streams it uses it all the time. */
export class Forgotten {
  readonly #shell: Shell
  readonly #patience: Patience
  readonly #onForgotten: () => void
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(shell: Shell, patience: Patience, onForgotten: () => void) {
    this.#shell = shell
    this.#patience = patience
    this.#onForgotten = onForgotten
    this.touch()
    shell.log.onLeave = () => this.touch()
    void shell.finished.then(() => this.touch())
  }

  /** It is used now. */
  touch(): void {
    if (this.#stopped) return
    clearTimeout(this.#timer)
    const { runningMs, finishedMs } = this.#patience
    this.#timer = setTimeout(() => this.#look(), this.#shell.isRunning ? runningMs : finishedMs).unref()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #look(): void {
    if (this.#shell.log.readers > 0) this.touch()
    else this.#onForgotten()
  }
}
