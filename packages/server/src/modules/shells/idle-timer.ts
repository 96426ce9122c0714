import type { ShellRequest } from '@sandglass/protocol'
import { maxLifeSeconds } from '../../records/life-clock.ts'
import type { Shell } from './shell.ts'

/** How long an unused shell is kept, while its command runs and after it has finished. */
export interface IdleTimeouts {
  readonly runningMs: number
  readonly finishedMs: number
}

/**
 * The timeouts of a shell whose caller has its id. A running command is kept at least for the timeout that the caller
 * set.
 */
export const idleTimeoutsFor = ({ timeoutSeconds = 0 }: ShellRequest): IdleTimeouts => ({
  runningMs: Math.max(3_600_000, timeoutSeconds * 1000),
  finishedMs: 600_000,
})
/** The timeouts of a shell that was created with its stream. They are long enough to reconnect. */
export const streamIdleTimeouts: IdleTimeouts = { runningMs: 10_000, finishedMs: 10_000 }

/**
 * The timeouts of a program that its caller starts and leaves: it runs as long as its sandbox, and nobody asks for it when it has
 * ended.
 */
export const programIdleTimeouts: IdleTimeouts = { runningMs: maxLifeSeconds * 1000, finishedMs: 10_000 }

/** Calls back when a shell has not been used for its idle timeout. A shell that is being streamed is in use. */
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

  /** Restarts the timeout. */
  touch(): void {
    if (this.#stopped) return
    clearTimeout(this.#timer)
    const { runningMs, finishedMs } = this.#timeouts
    this.#timer = setTimeout(() => this.#check(), this.#shell.isRunning ? runningMs : finishedMs).unref()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #check(): void {
    if (this.#shell.log.readers > 0) this.touch()
    else this.#onIdle()
  }
}
