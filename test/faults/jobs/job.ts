/** One way to use a sandbox or the service, which remembers what was acknowledged. */
export interface Job {
  readonly name: string
  /** Uses it once; true where the service acknowledged that. Fails where an answer was false. */
  step(): Promise<boolean>
  /** Fails where something that was acknowledged is not there. */
  verify(): Promise<void>
}
