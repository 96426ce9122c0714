import type { Readable, Writable } from 'node:stream'

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

/**
 * A program to run. There is no shell in between: for a command line, spread `machine.guest.shell.login(command)` into it.
 *
 * @example
 * ```ts
 * const spec: ExecSpec = { executable: 'python3', args: ['-c', 'print(1)'], workingDirectory: '/tmp' }
 * ```
 */
export interface ExecSpec {
  /** A path, or a name that is looked up in the user's PATH. */
  readonly executable: string
  readonly args?: readonly string[]
  /** The user's home by default. */
  readonly workingDirectory?: string
  /** Added to the machine's environment. */
  readonly env?: Readonly<Record<string, string>>
  /** A user of the machine; the guest's `user` by default. */
  readonly user?: string
  /** Runs the program in a terminal of this size. Everything that it prints then comes on `stdout`. */
  readonly terminal?: TerminalSize
  /** Lets the program go on when the service's connection to the machine is lost or `release` is called. */
  readonly detached?: boolean
  /**
   * Tracks everything that the program starts, including daemons and processes in other sessions. `kill` ends all of it,
   * also after the program itself has ended, until `release`. It costs the machine one more process.
   */
  readonly whole?: boolean
  /** Kills the program when it fires. */
  readonly signal?: AbortSignal
}

/** How a program ended. */
export interface ProcessExit {
  /** The program's own exit code, or 128+n if signal n ended it. */
  readonly code: number
  readonly signal?: number
}

/** A program that runs in a machine, or has ended there. */
export interface MachineProcess {
  /** The process id inside the machine; 0 where a program starts only when its input has ended. */
  readonly pid: number
  /** The program's input. Ending it sends the end-of-file character if there is a terminal. */
  readonly stdin: Writable
  /** What the program prints. It ends with the program; what its leftover children print later is discarded. */
  readonly stdout: Readable
  /** What the program prints to its error output; ends immediately if there is a terminal. */
  readonly stderr: Readable
  /** Settles when the program has ended, and rejects with MACHINE_FAILED if the machine ended first. */
  readonly exited: Promise<ProcessExit>
  /** Settles when nothing is left to `kill`. For a `whole` program it also settles after `release` and with the machine. */
  readonly gone: Promise<void>
  /** Without a signal, or with SIGKILL, ends the program and its descendants. Another signal goes to its process group. */
  kill(signal?: number): void
  /** Changes the size of its terminal. */
  resize(size: TerminalSize): void
  /** Stops tracking it. A running program is killed unless it is `detached`; what an ended one left running goes on. */
  release(): void
}
