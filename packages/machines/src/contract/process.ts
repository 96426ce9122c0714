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
  /** Ends the whole process group when it fires. */
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
  readonly stdin: Writable
  readonly stdout: Readable
  /** Ends at once with a terminal. */
  readonly stderr: Readable
  /** Settles when the program has ended; descendants may still hold the streams open. */
  readonly exited: Promise<ProcessExit>
  /** Signals the whole process group: SIGKILL unless another number is given. */
  kill(signal?: number): void
  resize(size: TerminalSize): void
}
