import type { Readable, Writable } from 'node:stream'

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

export interface ExecSpec {
  /** Found by the user's PATH when it holds no slash. No shell stands in between. */
  readonly executable: string
  readonly args?: readonly string[]
  readonly workingDirectory?: string
  /** Added to the machine's environment. */
  readonly env?: Readonly<Record<string, string>>
  /** A user of the machine; the desktop's user unless said otherwise. */
  readonly user?: string
  /** With a terminal, everything that the program prints comes on `stdout`. */
  readonly terminal?: TerminalSize
  /** Lets the program go on when its caller goes away. */
  readonly detached?: boolean
  /**
   * Holds on to everything that the program starts, also to what makes a session of its own or becomes a daemon: `kill`
   * ends all of it, also after the program itself has ended, until `release`. Costs the machine one more process.
   */
  readonly whole?: boolean
  /** Ends the program as `kill` does when it fires. */
  readonly signal?: AbortSignal
}

export interface ProcessExit {
  /** The program's own exit code, or 128+n when signal n ended it. */
  readonly code: number
  readonly signal?: number
}

export interface MachineProcess {
  /** The process id inside the machine. */
  readonly pid: number
  /** Its end, on a terminal, is the end-of-file character. */
  readonly stdin: Writable
  /** Ends with the program, after all that it printed; what those print that it left behind is thrown away. */
  readonly stdout: Readable
  /** The same; ends at once with a terminal. */
  readonly stderr: Readable
  /** Settles when the program has ended. */
  readonly exited: Promise<ProcessExit>
  /** Settles when nothing is left to `kill`; of a `whole` one also by `release`, or when the machine ended. */
  readonly gone: Promise<void>
  /** SIGKILL ends the program and all its descendants; another signal goes to its process group. */
  kill(signal?: number): void
  resize(size: TerminalSize): void
  /** Lets go: a program that runs is ended unless it is `detached`; what one that ended left running goes on. */
  release(): void
}
