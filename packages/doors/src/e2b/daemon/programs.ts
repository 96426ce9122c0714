import type { TerminalSize } from '@sandglass/machines/contract'

/** A program that a client wants to run. */
export interface NewProgram {
  readonly executable: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly workingDirectory?: string | undefined
  readonly tag?: string | undefined
  readonly terminal?: TerminalSize | undefined
  /** Whether the client will send input. */
  readonly takesInput: boolean
  /** The program is ended after this long. */
  readonly timeoutMs?: number | undefined
}

/** How a program ended. */
export interface ProgramEnd {
  readonly kind: 'end'
  readonly code: number
  readonly signal?: number | undefined
}

/** A part of what a program prints, or its end. Undefined says that nothing happened for a while. */
export type ProgramOutput =
  | { readonly kind: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  | ProgramEnd
  | undefined

/** A program that runs in a sandbox. */
export interface Program
  extends Pick<NewProgram, 'executable' | 'args' | 'env' | 'workingDirectory' | 'tag'> {
  readonly pid: number
  readonly hasTerminal: boolean
  /** Reads what it prints, from its start or from now on. Whoever does not take the next part in time is cut off. */
  output(
    from: 'start' | 'now',
    options: { readonly idleMs: number; readonly signal: AbortSignal },
  ): AsyncIterable<ProgramOutput>
  write(data: Uint8Array): void
  closeInput(): void
  resize(size: TerminalSize): void
  kill(signal: number): void
}

/** Which program is meant. */
export type ProgramChoice = { readonly pid: number } | { readonly label: string }

/** The programs of one sandbox. */
export interface Programs {
  list(): readonly Program[]
  /** Throws `shell.NOT_FOUND` if no such program runs. */
  find(choice: ProgramChoice): Program
  /** Nothing is done in the sandbox before `recorded` has resolved. */
  start(program: NewProgram, recorded: Promise<void>): Promise<Program>
}
