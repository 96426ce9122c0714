import type { ShellRequest } from '@sandglass/protocol'
import type { Shell } from './shell.ts'

/** How long a shell is kept that nobody reads, writes or streams, while it runs and when it has finished. */
export interface IdleTimeouts {
  readonly runningMs: number
  readonly finishedMs: number
}

/** For a shell that its caller knows by its id; as long as the caller said that it may take, where that is longer. */
export const idleTimeoutsFor = ({ timeoutSeconds = 0 }: ShellRequest): IdleTimeouts => ({
  runningMs: Math.max(3_600_000, timeoutSeconds * 1000),
  finishedMs: 600_000,
})
/** For one that was made with its stream: long enough to connect again. */
export const streamIdleTimeouts: IdleTimeouts = { runningMs: 10_000, finishedMs: 10_000 }

/** Tells when a shell has been forgotten. Whoever streams it uses it all the time. */
export class ShellIdleTimer {
  readonly #shell: Shell
  readonly #timeouts: IdleTimeouts
  readonly #onIdle: () => void
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(shell: Shell, timeouts: IdleTimeouts, onIdle: () => void) {
    this.#shell = shell
    this.#timeouts = timeouts
    this.#onIdle = onIdle
    this.touch()
    shell.log.onLeave = () => this.touch()
    void shell.finished.then(() => this.touch())
  }

  /** It is used now. */
  touch(): void {
    if (this.#stopped) return
    clearTimeout(this.#timer)
    const { runningMs, finishedMs } = this.#timeouts
    this.#timer = setTimeout(() => this.#look(), this.#shell.isRunning ? runningMs : finishedMs).unref()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #look(): void {
    if (this.#shell.log.readers > 0) this.touch()
    else this.#onIdle()
  }
}
