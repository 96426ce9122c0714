/** The other side violated the protocol. The session has ended; the byte stream may be used for another one. */
export class MuxError extends Error {
  override readonly name = 'MuxError'
}
