/** A datagram that breaks the protocol. Nothing of it was taken, and the session goes on as if it had not come. */
export class KcpError extends Error {
  override readonly name = 'KcpError'
}
