import type { MachineProcess } from '@sandglass/machines/contract'
import { ApiError, type ShellRequest } from '@sandglass/protocol'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { SandboxWork } from '../sandboxes/lifecycle/sandbox-work.ts'
import type { Inside } from '../sandboxes/sandbox-router.ts'
import { type IdleTimeouts, ShellIdleTimer } from './idle-timer.ts'
import { Shell, type ShellProgram } from './shell.ts'

/** The maximum number of shells per sandbox. A new shell replaces the oldest one that has finished. */
export const shellsPerSandbox = 64

type Entered = Omit<Inside, 'actor'>

interface ShellEntry {
  readonly shell: Shell
  readonly idleTimer: ShellIdleTimer
}

/** The shells of the sandboxes whose machines this process has. */
export class Shells {
  readonly #bySandbox = new Map<string, Map<string, ShellEntry>>()
  /** The number of shells per sandbox that are starting. They count against the limit. */
  readonly #starting = new Map<string, number>()
  readonly #work: SandboxWork
  readonly #onExit: (sandbox: SandboxRow, shell: Shell) => void

  /** @param onExit called when the command of a shell has ended, unless its machine is gone */
  constructor(work: SandboxWork, onExit: (sandbox: SandboxRow, shell: Shell) => void) {
    this.#work = work
    this.#onExit = onExit
  }

  /** Runs a command in the user's login shell. */
  start(inside: Entered, request: ShellRequest, timeouts: IdleTimeouts): Promise<Shell> {
    return this.#open(inside, timeouts, () => Shell.start(inside.machine, request))
  }

  /** Runs a program as it is. */
  run(inside: Entered, program: ShellProgram, timeouts: IdleTimeouts): Promise<Shell> {
    return this.#open(inside, timeouts, () => Shell.run(inside.machine, program))
  }

  /** Treats a program as if it had been run here. */
  follow(
    inside: Entered,
    process: MachineProcess,
    program: ShellProgram,
    timeouts: IdleTimeouts,
  ): Promise<Shell> {
    return this.#open(inside, timeouts, async () => Shell.of(process, program))
  }

  async #open({ sandbox }: Entered, timeouts: IdleTimeouts, start: () => Promise<Shell>): Promise<Shell> {
    const sandboxId = sandbox.id
    this.#evictIfFull(sandboxId)
    this.#count(sandboxId, 1)
    try {
      const shell = await start()
      // A command that runs is work, whether or not somebody reads its output.
      void shell.finished.then(this.#work.begin(sandbox, 'shell'))
      this.#add(sandboxId, shell, timeouts)
      void shell.finished.then(hasMachine => hasMachine && this.#onExit(sandbox, shell))
      return shell
    } finally {
      this.#count(sandboxId, -1)
    }
  }

  /** The shells of a sandbox, the first one that was started first. */
  list(sandboxId: string): Shell[] {
    return [...(this.#bySandbox.get(sandboxId)?.values() ?? [])].map(({ shell }) => shell)
  }

  /** Finds a shell and restarts its idle timeout. */
  find(sandboxId: string, shellId: string): Shell {
    const entry = this.#bySandbox.get(sandboxId)?.get(shellId)
    if (!entry) throw new ApiError('shell.NOT_FOUND')
    entry.idleTimer.touch()
    return entry.shell
  }

  /** Kills a shell and all processes that it started, and removes it. */
  async terminate(sandboxId: string, shellId: string): Promise<void> {
    await this.find(sandboxId, shellId).terminate()
    this.#remove(sandboxId, shellId)
  }

  /** Ends every running command. */
  close(): void {
    for (const [sandboxId, shells] of this.#bySandbox)
      for (const { shell } of shells.values()) {
        this.#remove(sandboxId, shell.id)
        shell.release()
      }
  }

  #add(sandboxId: string, shell: Shell, timeouts: IdleTimeouts): void {
    const shells = this.#bySandbox.get(sandboxId) ?? new Map<string, ShellEntry>()
    this.#bySandbox.set(sandboxId, shells)
    const idleTimer = new ShellIdleTimer(shell, timeouts, () => {
      this.#remove(sandboxId, shell.id)
      shell.release()
    })
    shells.set(shell.id, { shell, idleTimer })
    // Remove the shell when its machine is gone.
    void shell.finished.then(hasMachine => hasMachine || this.#remove(sandboxId, shell.id))
  }

  #evictIfFull(sandboxId: string): void {
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
