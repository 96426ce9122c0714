import type { Context } from './context.ts'

/** What a shell can complete from the service. */
export type Completes =
  | 'sandboxes'
  | 'shapes'
  | 'images'
  | 'volumes'
  | 'keys'
  | 'webhooks'
  | 'parsers'
  | 'files'

export interface ArgumentDefinition {
  /** In angle brackets if it is required, in square brackets otherwise; three dots at the end take the rest: `<sandbox...>`. */
  readonly syntax: string
  readonly description: string
  readonly choices?: readonly string[]
  readonly completes?: Completes
}

export interface OptionDefinition {
  /** As commander writes them: `-n, --name <name>`. */
  readonly flags: string
  readonly description: string
  readonly choices?: readonly string[]
  readonly completes?: Completes
  /** Reads a value; throw a {@link UsageError} if it is wrong. */
  readonly parse?: (text: string) => unknown
  /** Can be given several times; the values are a list. */
  readonly isRepeatable?: boolean
}

export interface Example {
  /** A line for bash that a test runs against a real service. Capitals such as `ID` stand for what the test puts there. */
  readonly command: string
  readonly explanation: string
}

export interface Invocation<Options> {
  /** As they were given, without the options. */
  readonly args: readonly string[]
  readonly options: Options
}

/** A command, or a noun with commands. Help, completions and docs/cli.md are made of it. */
// biome-ignore lint/suspicious/noExplicitAny: a list of commands has those of all options.
export interface CommandDefinition<Options = any> {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly summary: string
  /** Further sentences for the help. */
  readonly details?: string
  readonly arguments?: readonly ArgumentDefinition[]
  readonly options?: readonly OptionDefinition[]
  readonly examples?: readonly Example[]
  /** Options after the first argument belong to the program that it names. */
  readonly passesThrough?: boolean
  /** For programs; people need not know it. */
  readonly isHidden?: boolean
  readonly commands?: readonly CommandDefinition[]
  /** Returns the exit code if it is not 0. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return nothing.
  readonly run?: (context: Context, invocation: Invocation<Options>) => Promise<number | void>
}

/** Gives a command the types of its options. */
export function command<Options = Record<never, never>>(
  definition: CommandDefinition<Options>,
): CommandDefinition<Options> {
  return definition
}
