import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecSpec, MachineProcess, TerminalSize } from '@sandglass/machines/contract'
import { ApiError, maxListedCommand, type ShellRequest } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import { startProcess } from '../processes/start-process.ts'
import { beginning, OutputLog, type Position } from './output-log.ts'
import { WholeCharacters } from './whole-characters.ts'

/** The size of a terminal if the caller sets none. */
const defaultSize: TerminalSize = { rows: 24, columns: 80 }
/** The maximum input that is buffered for a command that does not read it. */
const inputLimit = 1024 * 1024
/** Published clients time out after 10 s, so a termination has to end earlier. */
const terminateMs = 8000
/** How much output is added to the log before it waits for readers again. */
const pieceBytes = 64 * 1024

const timeoutNotice = Buffer.from('The command was ended because its time was over.\n')

/** What a shell runs, if it is no command line for the user's login shell. */
export interface ShellProgram {
  readonly spec: Omit<ExecSpec, 'signal'>
  /** The command as lists show it. */
  readonly command: string
  /** The name that its caller gave it. */
  readonly label?: string | undefined
  /** It is ended after this long. */
  readonly timeoutMs?: number | undefined
}

/** A command in a machine, with its output and all processes that it started. */
export class Shell {
  readonly id = randomUUID()
  readonly log = new OutputLog()
  readonly hasTerminal: boolean
  readonly startedAt = new Date()
  /** The command, or the beginning of a long one. */
  readonly command: string
  readonly workingDirectory: string | undefined
  readonly program: ShellProgram
  /** The position up to which readSandboxShell has read. */
  readTo: Position = beginning
  isRunning = true
  hasTimedOut = false
  exitCode: number | undefined
  /** The signal that ended it, if one did. */
  exitSignal: number | undefined
  /** Resolves when the command has finished, to false if that is because the machine is gone. */
  readonly finished: Promise<boolean>
  readonly #process: MachineProcess
  readonly #terminated = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined

  private constructor(process: MachineProcess, program: ShellProgram) {
    const { command, spec, timeoutMs } = program
    this.#process = process
    this.program = program
    this.hasTerminal = spec.terminal !== undefined
    this.command = command.slice(0, maxListedCommand)
    this.workingDirectory = spec.workingDirectory
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.#timeOut(), timeoutMs)
    this.finished = this.#collectOutput()
  }

  /** Runs the command in the user's login shell, so that PATH and the profile are the same as in a terminal. */
  static async start(machine: RunningMachine, request: ShellRequest): Promise<Shell> {
    const { command, workingDirectory, useTty, ttyRows, ttyCols, timeoutSeconds } = request
    const spec = {
      ...machine.guest.shell.login(command),
      whole: true,
      ...(workingDirectory !== undefined && { workingDirectory }),
      ...(useTty && {
        terminal: { rows: ttyRows ?? defaultSize.rows, columns: ttyCols ?? defaultSize.columns },
      }),
    }
    const timeoutMs = timeoutSeconds === undefined ? undefined : timeoutSeconds * 1000
    return await Shell.run(machine, { spec, command, timeoutMs })
  }

  /** Runs a program as it is. */
  static async run(machine: RunningMachine, program: ShellProgram): Promise<Shell> {
    return Shell.of(await startProcess(machine, program.spec), program)
  }

  /** Follows a program that was started already. */
  static of(process: MachineProcess, program: ShellProgram): Shell {
    return new Shell(process, program)
  }

  /** The process id inside the machine. */
  get pid(): number {
    return this.#process.pid
  }

  write(data: Uint8Array): void {
    const { stdin } = this.#process
    if (!this.isRunning || !stdin.writable) throw new ApiError('shell.FINISHED')
    if (stdin.writableLength > inputLimit) throw new ApiError('shell.INPUT_FULL', { retryAfter: 1 })
    stdin.write(data)
  }

  /** Closes the input of the command. */
  finish(): void {
    this.#process.stdin.end()
  }

  resize(size: TerminalSize): void {
    if (!this.hasTerminal) throw new ApiError('shell.NO_TERMINAL')
    if (!this.isRunning) throw new ApiError('shell.FINISHED')
    this.#process.resize(size)
  }

  /** Sends a signal to the command. */
  signal(number: number): void {
    this.#process.kill(number)
  }

  /** Kills the command and all processes that it started. Resolves when none of them is left. */
  async terminate(): Promise<void> {
    this.#terminated.abort()
    this.#process.kill()
    const isGone = this.#process.gone.then(() => true)
    if (!(await Promise.race([isGone, delay(terminateMs, false, { ref: false })])))
      throw new ApiError('machine.FAILED', { message: 'The processes of the shell did not end in time.' })
  }

  /** Ends a running command. Background processes that a finished command started continue. */
  release(): void {
    this.#terminated.abort()
    this.#process.release()
  }

  async #collectOutput(): Promise<boolean> {
    const { stdout, stderr, exited } = this.#process
    const outputs = Promise.all([this.#copyToLog('stdout', stdout), this.#copyToLog('stderr', stderr)])
    // Avoid an unhandled rejection: when the machine ends, `exited` fails too, and it is awaited first.
    outputs.catch(() => {})
    try {
      const { code, signal } = await exited
      await outputs
      this.exitCode = code
      this.exitSignal = signal
      if (this.hasTimedOut) this.log.append('timeout', timeoutNotice)
      else if (!this.#terminated.signal.aborted) this.log.append('waiting')
      return true
    } catch {
      return false
    } finally {
      clearTimeout(this.#timer)
      this.isRunning = false
      this.log.append('end')
    }
  }

  /** Copies a stream to the log at the pace of the fastest reader. */
  async #copyToLog(kind: 'stdout' | 'stderr', stream: Readable): Promise<void> {
    const characters = new WholeCharacters()
    const { signal } = this.#terminated
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      // A chunk is all that had arrived, which may be more than the log keeps for readers that are behind.
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        const bytes = characters.push(chunk.subarray(at, at + pieceBytes))
        if (bytes.length > 0) this.log.append(kind, bytes)
        await this.log.waitForReaders(signal)
        if (signal.aborted) return
      }
    }
    const rest = characters.flush()
    if (rest.length > 0) this.log.append(kind, rest)
  }

  #timeOut(): void {
    this.hasTimedOut = true
    this.#process.kill()
  }
}
