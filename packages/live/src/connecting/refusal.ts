/** Why there is no connection: what the service said in its `goodbye`, or what was noticed in the browser. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: string
  /** The service will not accept the same token again, so there is no point in retrying with it. */
  readonly isFinal: boolean

  constructor(code: string, message: string, isFinal: boolean) {
    super(message)
    this.code = code
    this.isFinal = isFinal
  }
}

/** A failure after which connecting again may succeed. */
export function lost(message: string): Refusal {
  return new Refusal('live.LOST', message, false)
}
