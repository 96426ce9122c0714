import { randomUUID } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { Machine, MachineProcess, TerminalSize } from '@sandglass/machines/contract'
import { ApiError, type ShellRequest } from '@sandglass/protocol'
import { startProcess } from '../processes/start-process.ts'
import { beginning, OutputLog, type Position } from './output-log.ts'
import { WholeCharacters } from './whole-characters.ts'

/** What a terminal has where nobody says. */
const usualSize: TerminalSize = { rows: 24, columns: 80 }
/** How much input is kept for a command that does not read it. */
const inputLimit = 1024 * 1024
/** Published clients give up after 10 s. */
const terminateMs = 8000
const timeoutNotice = Buffer.from('The command was ended because its time was over.\n')

/** A command that runs in a machine, what it prints, and everything that it started. */
export class Shell {
  readonly id = randomUUID()
  readonly log = new OutputLog()
  readonly hasTerminal: boolean
  /** Settles when the command has finished: true where the machine is still there. */
  readonly finished: Promise<boolean>
  readonly #process: MachineProcess
  readonly #terminated = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined
  /** How far it was read by readSandboxShell. */
  readTo: Position = beginning
  isRunning = true
  hasTimedOut = false
  exitCode: number | undefined

  private constructor(process: MachineProcess, { useTty, timeoutSeconds }: ShellRequest) {
    this.#process = process
    this.hasTerminal = useTty
    if (timeoutSeconds !== undefined) this.#timer = setTimeout(() => this.#timeOut(), timeoutSeconds * 1000)
    this.finished = this.#follow()
  }

  /** By the user's login shell, so that PATH and the profile are as in a terminal. */
  static async start(machine: Machine, request: ShellRequest): Promise<Shell> {
    const { command, workingDirectory, useTty, ttyRows, ttyCols } = request
    const process = await startProcess(machine, {
      ...machine.guest.shell.login(command),
      whole: true,
      ...(workingDirectory !== undefined && { workingDirectory }),
      ...(useTty && {
        terminal: { rows: ttyRows ?? usualSize.rows, columns: ttyCols ?? usualSize.columns },
      }),
    })
    return new Shell(process, request)
  }

  write(data: string): void {
    const { stdin } = this.#process
    if (!this.isRunning || !stdin.writable) throw new ApiError('shell.FINISHED')
    if (stdin.writableLength > inputLimit) throw new ApiError('shell.INPUT_FULL', { retryAfter: 1 })
    stdin.write(data)
  }

  /** Closes its input. */
  finish(): void {
    this.#process.stdin.end()
  }

  resize(size: TerminalSize): void {
    if (!this.hasTerminal) throw new ApiError('shell.NO_TERMINAL')
    if (!this.isRunning) throw new ApiError('shell.FINISHED')
    this.#process.resize(size)
  }

  /** Ends the command and everything that it started; settles when nothing of it is left. */
  async terminate(): Promise<void> {
    this.#terminated.abort()
    this.#process.kill()
    const isGone = this.#process.gone.then(() => true)
    if (!(await Promise.race([isGone, delay(terminateMs, false, { ref: false })])))
      throw new ApiError('machine.FAILED', { message: 'The processes of the shell did not end in time.' })
  }

  /** What a finished command left running goes on; one that runs is ended. */
  release(): void {
    this.#terminated.abort()
    this.#process.release()
  }

  async #follow(): Promise<boolean> {
    const { stdout, stderr, exited } = this.#process
    const outputs = Promise.all([this.#keep('stdout', stdout), this.#keep('stderr', stderr)])
    // They fail when the machine ends, and then so does what is awaited first.
    outputs.catch(() => {})
    try {
      const { code } = await exited
      await outputs
      this.exitCode = code
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

  /** As fast as the fastest reader takes it. */
  async #keep(kind: 'stdout' | 'stderr', stream: Readable): Promise<void> {
    const characters = new WholeCharacters()
    const { signal } = this.#terminated
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const bytes = characters.push(chunk)
      if (bytes.length > 0) this.log.append(kind, bytes)
      await this.log.waitForReaders(signal)
      if (signal.aborted) return
    }
    const rest = characters.flush()
    if (rest.length > 0) this.log.append(kind, rest)
  }

  #timeOut(): void {
    this.hasTimedOut = true
    this.#process.kill()
  }
}
