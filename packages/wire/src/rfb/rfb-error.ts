/** The kinds of protocol errors. */
export type RfbErrorCode =
  /** A version, security type or encoding that servers may use but this client does not support. */
  | 'UNSUPPORTED'
  /** The server refused the connection; the message contains its reason. */
  | 'REFUSED'
  /** The bytes violate the specification. */
  | 'MALFORMED'
  /** A rectangle is not within the framebuffer. */
  | 'OUTSIDE'
  /** A limit of the options was exceeded. */
  | 'LIMIT'
  /** The stream ended in the middle of a message. */
  | 'TRUNCATED'

/** Thrown for everything that a server can do wrong. The message says what arrived and what was expected. */
export class RfbError extends Error {
  override readonly name = 'RfbError'
  readonly code: RfbErrorCode

  constructor(code: RfbErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
