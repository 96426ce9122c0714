import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MachineError } from '../../../contract/errors.ts'
import { CommandFailed, runCommand } from '../host/run-command.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { Settings } from '../options.ts'
import { type CgroupLayout, freeze, groupOf, thaw } from './cgroups.ts'
import { type GvisorOptions, isGvisor, readGvisorOptions } from './gvisor.ts'

const maxPauseAttempts = 20

/** Descriptors that process 1 inherits, from 3 on. */
export interface PassedOn {
  /** The command that opens them and becomes the runtime. */
  readonly wrapper: readonly string[]
  readonly count: number
}

/** Runs an OCI runtime through its command line. */
export class Runtime {
  readonly command: string
  /** Whether machines have a kernel, and with it a network, of their own. */
  readonly isGvisor: boolean
  readonly #settings: Settings
  readonly #layout: CgroupLayout
  #gvisor: Promise<GvisorOptions> | undefined

  constructor(settings: Settings, layout: CgroupLayout, command: string) {
    this.#layout = layout
    this.#settings = settings
    this.command = command
    this.isGvisor = isGvisor(command)
  }

  /** Reads the options again after a failure, because the operator may install the runtime in the meantime. */
  #options(): Promise<GvisorOptions> {
    if (!this.isGvisor) return Promise.resolve({ flags: [], wrapper: [] })
    this.#gvisor ??= readGvisorOptions(this.command).catch(error => {
      this.#gvisor = undefined
      throw error
    })
    return this.#gvisor
  }

  #global(options: GvisorOptions): string[] {
    return [...options.flags, '--root', join(this.#settings.runDir, 'runtime')]
  }

  async #run(...args: readonly string[]): Promise<void> {
    await runCommand(this.command, [...this.#global(await this.#options()), ...args])
  }

  /**
   * Starts process 1 of the bundle and resolves once it runs. Its outputs are discarded, so that it cannot fill a
   * disk.
   */
  async start(id: string, paths: MachinePaths, signal?: AbortSignal, passed?: PassedOn): Promise<void> {
    const options = await this.#options()
    const [command = '', ...args] = [
      ...(passed?.wrapper ?? options.wrapper),
      this.command,
      ...this.#global(options),
      '--log',
      paths.runtimeLog,
      'run',
      '--detach',
      ...(passed ? ['--preserve-fds', String(passed.count)] : []),
      '--bundle',
      paths.bundle,
      '--pid-file',
      paths.pidFile,
      id,
    ]
    const code = await new Promise<number | null>((resolve, reject) => {
      spawn(command, args, { stdio: 'ignore', ...(signal && { signal }) })
        .on('error', reject)
        .on('close', resolve)
    })
    if (code === 0) return
    const log = await readFile(paths.runtimeLog, 'utf8').catch(() => '')
    throw new MachineError(
      'MACHINE_FAILED',
      `${this.command} could not start machine ${id}: ${log.trim().split('\n').slice(-3).join('; ')}`,
    )
  }

  /**
   * Retries when runc gives up. On cgroup v1, runc waits only a few milliseconds for all processes to freeze. gVisor
   * would stop the programs of the machine, but not its own processes.
   */
  async pause(id: string): Promise<void> {
    if (this.isGvisor) return await freeze(this.#layout, groupOf(this.#settings.instance, id))
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#run('pause', id)
        return
      } catch (error) {
        const gaveUp = error instanceof CommandFailed && error.output.includes('unable to freeze')
        if (!gaveUp || attempt === maxPauseAttempts) throw error
      }
    }
  }

  async resume(id: string): Promise<void> {
    if (this.isGvisor) return await thaw(this.#layout, groupOf(this.#settings.instance, id))
    await this.#run('resume', id)
  }

  /**
   * Kills and deletes the container, even if the runtime itself cannot, or if another runtime has started it. It is not an error if
   * there is none.
   */
  async delete(id: string): Promise<void> {
    await this.#run('delete', '--force', id).catch(() => {})
    // runc keeps one folder per container, and gVisor two files; the caller ends the processes.
    const folder = join(this.#settings.runDir, 'runtime')
    for (const name of [id, `${id}_sandbox:${id}.lock`, `${id}_sandbox:${id}.state`])
      await rm(join(folder, name), { recursive: true, force: true })
  }
}
