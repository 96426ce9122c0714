/** A datagram violates the protocol. It was ignored completely, and the session continues. */
export class KcpError extends Error {
  override readonly name = 'KcpError'
}
