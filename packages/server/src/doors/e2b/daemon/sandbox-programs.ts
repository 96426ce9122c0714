import {
  type NewProgram,
  type Program,
  type ProgramChoice,
  type ProgramOutput,
  type Programs,
  screenshotPathOf,
} from '@sandglass/doors/e2b'
import type { TerminalSize } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { Inside } from '../../../modules/sandboxes/sandbox-router.ts'
import { programIdleTimeouts } from '../../../modules/shells/idle-timer.ts'
import { beginning, type LogReader, type Taken } from '../../../modules/shells/output-log.ts'
import type { Shell, ShellProgram } from '../../../modules/shells/shell.ts'
import type { Shells } from '../../../modules/shells/shells.ts'
import { endedProcess } from './ended-process.ts'
import type { Screenshots } from './screenshots.ts'

/** A client that reads nothing for this long is disconnected, so that it no longer blocks the program. */
const stalledMs = 60_000

export interface SandboxProgramsParts {
  readonly shells: Shells
  readonly screenshots: Screenshots
  readonly inside: Omit<Inside, 'actor'>
  /** The user as whom programs run; the default one if it is undefined. */
  readonly user: string | undefined
  /** Disconnects the client. */
  readonly onStall: () => void
}

/** The programs of a sandbox, which are the shells of our own operations. */
export class SandboxPrograms implements Programs {
  readonly #parts: SandboxProgramsParts

  constructor(parts: SandboxProgramsParts) {
    this.#parts = parts
  }

  list(): Program[] {
    return this.#running().map(shell => new ShellAsProgram(shell, this.#parts.onStall))
  }

  find(choice: ProgramChoice): Program {
    const { shells, inside, onStall } = this.#parts
    const found = this.#running().find(shell =>
      'pid' in choice ? shell.pid === choice.pid : shell.program.label === choice.label,
    )
    if (!found) throw new ApiError('shell.NOT_FOUND', { message: 'No such process runs.' })
    return new ShellAsProgram(shells.find(inside.sandbox.id, found.id), onStall)
  }

  async start(program: NewProgram, recorded: Promise<void>): Promise<Program> {
    const { user, onStall } = this.#parts
    const { executable, args, env, workingDirectory, terminal, takesInput, tag, timeoutMs } = program
    const spec = {
      executable,
      args,
      env,
      detached: true,
      ...(workingDirectory !== undefined && { workingDirectory }),
      ...(user !== undefined && { user }),
      ...(terminal && { terminal }),
    }
    const command = [executable, ...args].join(' ')
    const run = { spec, command, label: tag, timeoutMs }
    const answered = await this.#answered(program, run, recorded)
    if (answered) return new EndedProgram(answered, onStall)
    const shell = await this.#run(run, recorded)
    if (!takesInput && !terminal) shell.finish()
    return new ShellAsProgram(shell, onStall)
  }

  /** Does the work of a program that only takes a picture of the screen, if that is possible. */
  async #answered(
    program: NewProgram,
    run: ShellProgram,
    recorded: Promise<void>,
  ): Promise<Shell | undefined> {
    const { shells, screenshots, inside, user } = this.#parts
    const path = screenshotPathOf(program)
    if (path === undefined || user !== undefined) return undefined
    if (!(await screenshots.put(inside, path, recorded))) return undefined
    return await shells.follow(inside, endedProcess(), run, programIdleTimeouts)
  }

  async #run(program: ShellProgram, recorded: Promise<void>): Promise<Shell> {
    const { shells, inside } = this.#parts
    await recorded
    return await shells.run(inside, program, programIdleTimeouts)
  }

  #running(): Shell[] {
    const { shells, inside } = this.#parts
    return shells.list(inside.sandbox.id).filter(({ isRunning }) => isRunning)
  }
}

class ShellAsProgram implements Program {
  readonly #shell: Shell
  readonly #onStall: () => void

  constructor(shell: Shell, onStall: () => void) {
    this.#shell = shell
    this.#onStall = onStall
  }

  get pid(): number {
    return this.#shell.pid
  }

  get tag(): string | undefined {
    return this.#shell.program.label
  }

  get executable(): string {
    return this.#shell.program.spec.executable
  }

  get args(): readonly string[] {
    return this.#shell.program.spec.args ?? []
  }

  get env(): Readonly<Record<string, string>> {
    return this.#shell.program.spec.env ?? {}
  }

  get workingDirectory(): string | undefined {
    return this.#shell.workingDirectory
  }

  get hasTerminal(): boolean {
    return this.#shell.hasTerminal
  }

  output(
    from: 'start' | 'now',
    { idleMs, signal }: { readonly idleMs: number; readonly signal: AbortSignal },
  ): AsyncIterable<ProgramOutput> {
    const { log } = this.#shell
    const reader = log.reader(from === 'start' ? beginning : log.end)
    const close = () => reader.close()
    signal.addEventListener('abort', close, { once: true })
    if (signal.aborted) close()
    return this.#read(reader, idleMs, signal)
  }

  async *#read(reader: LogReader, idleMs: number, signal: AbortSignal): AsyncGenerator<ProgramOutput> {
    try {
      while (!signal.aborted) {
        const taken =
          reader.take() ?? ((await this.#shell.log.appended(idleMs, signal)) ? reader.take() : undefined)
        if (signal.aborted) return
        const output = taken && this.#outputOf(taken)
        // What our own operations report besides output is of no use to the client.
        if (taken && !output) continue
        const stalled = setTimeout(this.#onStall, stalledMs)
        try {
          yield output
        } finally {
          clearTimeout(stalled)
        }
        if (output?.kind === 'end') return
      }
    } finally {
      reader.close()
    }
  }

  #outputOf({ entry: { kind, bytes } }: Taken): ProgramOutput {
    if (kind === 'stdout' || kind === 'stderr') return { kind, bytes }
    if (kind !== 'end') return undefined
    const { exitCode: code, exitSignal: signal } = this.#shell
    if (code === undefined) throw new ApiError('sandbox.NOT_FOUND', { message: 'The sandbox has ended.' })
    return { kind, code, signal }
  }

  write(data: Uint8Array): void {
    this.#shell.write(data)
  }

  closeInput(): void {
    this.#shell.finish()
  }

  resize(size: TerminalSize): void {
    this.#shell.resize(size)
  }

  kill(signal: number): void {
    this.#shell.signal(signal)
  }
}

/** A program whose work the service has done, and that has printed nothing. */
class EndedProgram extends ShellAsProgram {
  override async *output(): AsyncGenerator<ProgramOutput> {
    yield { kind: 'end', code: 0 }
  }
}
