/** The server sent something that is not X11. */
export class X11Error extends Error {
  override readonly name: string = 'X11Error'
}

/** The server sent more than this client allows. */
export class X11LimitError extends X11Error {
  override readonly name = 'X11LimitError'
}
