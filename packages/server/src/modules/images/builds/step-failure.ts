/** A step could not be carried out. The message is for the caller. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly exitCode: number | undefined

  constructor(message: string, { exitCode, cause }: { exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.exitCode = exitCode
  }
}
