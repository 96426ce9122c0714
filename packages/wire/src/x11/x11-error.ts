/** The server sent something that is not X11, or exceeds this client's limits. */
export class X11Error extends Error {
  override readonly name = 'X11Error'
}
