export type RfbErrorCode =
  /** A version, a security type or an encoding that a server may use, and that is not spoken here. */
  | 'UNSUPPORTED'
  /** The server ended the handshake, and the message has its reason. */
  | 'REFUSED'
  /** The bytes break the specification. */
  | 'MALFORMED'
  /** A rectangle reaches out of the framebuffer. */
  | 'OUTSIDE'
  /** More than the options allow. */
  | 'LIMIT'
  /** The stream ended within a message. */
  | 'TRUNCATED'

/** Everything that a server can do wrong. The message says what came and what would have been right. */
export class RfbError extends Error {
  override readonly name = 'RfbError'
  readonly code: RfbErrorCode

  constructor(code: RfbErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
