import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { CommandFailed, runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'

const maxPauseAttempts = 20

/** Runs an OCI runtime through its command line. */
export class Runtime {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  #flags(): string[] {
    return [...this.#settings.runtimeFlags, '--root', join(this.#settings.runDir, 'runtime')]
  }

  /**
   * Starts process 1 of the bundle and resolves once it runs. Its outputs are discarded, so that it cannot fill a
   * disk.
   */
  async start(id: string, paths: MachinePaths, signal?: AbortSignal): Promise<void> {
    const args = [
      ...this.#flags(),
      '--log',
      paths.runtimeLog,
      'run',
      '--detach',
      '--bundle',
      paths.bundle,
      '--pid-file',
      paths.pidFile,
      id,
    ]
    const code = await new Promise<number | null>((resolve, reject) => {
      spawn(this.#settings.runtime, args, { stdio: 'ignore', ...(signal && { signal }) })
        .on('error', reject)
        .on('close', resolve)
    })
    if (code === 0) return
    const log = await readFile(paths.runtimeLog, 'utf8').catch(() => '')
    throw new MachineError(
      'MACHINE_FAILED',
      `${this.#settings.runtime} could not start machine ${id}: ${log.trim().split('\n').slice(-3).join('; ')}`,
    )
  }

  /** Retries when runc gives up. On cgroup v1, runc waits only a few milliseconds for all processes to freeze. */
  async pause(id: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await runCommand(this.#settings.runtime, [...this.#flags(), 'pause', id])
        return
      } catch (error) {
        const gaveUp = error instanceof CommandFailed && error.output.includes('unable to freeze')
        if (!gaveUp || attempt === maxPauseAttempts) throw error
      }
    }
  }

  async resume(id: string): Promise<void> {
    await runCommand(this.#settings.runtime, [...this.#flags(), 'resume', id])
  }

  /** Kills and deletes the container, even if the runtime itself cannot. It is not an error if there is none. */
  async delete(id: string): Promise<void> {
    try {
      await runCommand(this.#settings.runtime, [...this.#flags(), 'delete', '--force', id])
    } catch {
      // The runtime keeps one folder per container; the caller ends the processes.
      await rm(join(this.#settings.runDir, 'runtime', id), { recursive: true, force: true })
    }
  }
}
