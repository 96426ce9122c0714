/** The exit codes of every command. */
export const exitCodes = { failure: 1, usage: 2, interrupted: 130, terminated: 143 } as const

/** Something that a person can do something about: `fix` says what. */
export class CliError extends Error {
  readonly fix: string | undefined
  readonly exitCode: number

  constructor(message: string, fix?: string, exitCode: number = exitCodes.failure) {
    super(message)
    this.fix = fix
    this.exitCode = exitCode
  }
}

/** The command was given in a wrong way. */
export class UsageError extends CliError {
  constructor(message: string, fix?: string) {
    super(message, fix, exitCodes.usage)
  }
}

/** A signal of the terminal or the system ended the command. */
export class Interrupted extends Error {
  readonly exitCode: number

  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
    super(`Interrupted by ${signal}.`)
    this.exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated
  }
}
