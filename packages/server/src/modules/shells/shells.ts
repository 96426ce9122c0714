import type { Machine } from '@sandglass/machines/contract'
import { ApiError, type ShellRequest } from '@sandglass/protocol'
import { type IdleTimeouts, ShellIdleTimer } from './forgotten.ts'
import { Shell } from './shell.ts'

/** How many shells a sandbox may have; of those that have finished, the oldest goes for a new one. */
export const shellsPerSandbox = 64

interface Kept {
  readonly shell: Shell
  readonly idleTimer: ShellIdleTimer
}

/** The shells of the machines of this process, by their sandboxes. */
export class Shells {
  readonly #bySandbox = new Map<string, Map<string, Kept>>()
  /** Started and not entered yet. */
  readonly #starting = new Map<string, number>()

  async start(
    sandboxId: string,
    machine: Machine,
    request: ShellRequest,
    timeouts: IdleTimeouts,
  ): Promise<Shell> {
    this.#makeRoom(sandboxId)
    this.#count(sandboxId, 1)
    try {
      const shell = await Shell.start(machine, request)
      this.#enter(sandboxId, shell, timeouts)
      return shell
    } finally {
      this.#count(sandboxId, -1)
    }
  }

  /** A shell that somebody uses now. */
  find(sandboxId: string, shellId: string): Shell {
    const kept = this.#bySandbox.get(sandboxId)?.get(shellId)
    if (!kept) throw new ApiError('shell.NOT_FOUND')
    kept.idleTimer.touch()
    return kept.shell
  }

  /** Ends a shell and everything that it started. */
  async terminate(sandboxId: string, shellId: string): Promise<void> {
    await this.find(sandboxId, shellId).terminate()
    this.#remove(sandboxId, shellId)
  }

  /** Ends every command that still runs. */
  close(): void {
    for (const [sandboxId, shells] of this.#bySandbox)
      for (const { shell } of shells.values()) {
        this.#remove(sandboxId, shell.id)
        shell.release()
      }
  }

  #enter(sandboxId: string, shell: Shell, timeouts: IdleTimeouts): void {
    const shells = this.#bySandbox.get(sandboxId) ?? new Map<string, Kept>()
    this.#bySandbox.set(sandboxId, shells)
    const idleTimer = new ShellIdleTimer(shell, timeouts, () => {
      this.#remove(sandboxId, shell.id)
      shell.release()
    })
    shells.set(shell.id, { shell, idleTimer })
    // With its machine goes a shell.
    void shell.finished.then(hasMachine => hasMachine || this.#remove(sandboxId, shell.id))
  }

  #makeRoom(sandboxId: string): void {
    const shells = this.#bySandbox.get(sandboxId)
    if ((shells?.size ?? 0) + (this.#starting.get(sandboxId) ?? 0) < shellsPerSandbox) return
    const oldest = shells?.values().find(({ shell }) => !shell.isRunning && shell.log.readers === 0)?.shell
    if (!oldest) throw new ApiError('shell.TOO_MANY')
    this.#remove(sandboxId, oldest.id)
    oldest.release()
  }

  #remove(sandboxId: string, shellId: string): void {
    const shells = this.#bySandbox.get(sandboxId)
    shells?.get(shellId)?.idleTimer.stop()
    shells?.delete(shellId)
    if (shells?.size === 0) this.#bySandbox.delete(sandboxId)
  }

  #count(sandboxId: string, change: 1 | -1): void {
    const count = (this.#starting.get(sandboxId) ?? 0) + change
    if (count > 0) this.#starting.set(sandboxId, count)
    else this.#starting.delete(sandboxId)
  }
}
