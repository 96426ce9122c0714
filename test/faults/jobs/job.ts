/** One way to use a sandbox or the service. It records what was acknowledged. */
export interface Job {
  readonly name: string
  /** Runs the job once; returns true if the service acknowledged it. Throws if a response was wrong. */
  step(): Promise<boolean>
  /** Throws if something that was acknowledged is missing. */
  verify(): Promise<void>
}
