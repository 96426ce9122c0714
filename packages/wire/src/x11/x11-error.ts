/** What came is not what an X server sends, or more than this client takes. */
export class X11Error extends Error {
  override readonly name = 'X11Error'
}
