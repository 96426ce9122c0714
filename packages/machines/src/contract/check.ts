/** One thing that an engine needs, and whether it is there. */
export interface Check {
  readonly name: string
  /** A `fail` keeps machines from running; a `warn` does not. */
  readonly result: 'ok' | 'warn' | 'fail'
  readonly what: string
  /** The command, or the step, that fixes it. */
  readonly fix?: string
}
