import type { Sandglass } from '@sandglass/client'
import type { Connection } from './connection.ts'
import type { GlobalOptions } from './global-options.ts'
import type { Output } from './output.ts'
import type { Style } from './style.ts'

export type Env = Readonly<NodeJS.ProcessEnv>

/** What a command works with. Tests of single commands can make one of their own. */
export interface Context {
  readonly options: GlobalOptions
  readonly env: Env
  readonly cwd: string
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  /** Aborted by Ctrl-C with an `Interrupted`. Pass it to every call, and throw its reason. */
  readonly signal: AbortSignal
  /** Prints results in the format of `-o`. */
  readonly output: Output
  /** Says something to a person, on stderr. `--quiet` leaves it out. */
  note(text: string): void
  /** Colours for stdout. */
  readonly style: Style
  /** Where a person can be asked. */
  readonly isInteractive: boolean
  /** Which service is used, and why that one. */
  connection(): Promise<Connection>
  /** The client for the profile, which is loaded and made once. */
  client(): Promise<Sandglass>
  /** Runs when the command ends, however it ends; the last one first. */
  defer(cleanUp: () => Promise<unknown> | unknown): void
}
