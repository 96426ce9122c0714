/** Why there is no connection: what the service said in its `goodbye`, or what was found here. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  /** The same token will not be let in again. */
  readonly isFinal: boolean

  constructor(code: string, message: string, isFinal: boolean) {
    super(message)
    this.code = code
    this.isFinal = isFinal
  }
}

export function lost(message: string): Refusal {
  return new Refusal('live.LOST', message, false)
}
