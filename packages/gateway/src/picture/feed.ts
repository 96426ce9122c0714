/** Where the picture goes for one viewer. */
export interface PictureSink {
  /** Takes a whole frame of the picture or the cursor channel. Nobody changes its bytes afterwards: many viewers share them. */
  send(frame: Uint8Array): void
  /** Whether the viewer can draw H.264. */
  readonly takesVideo: boolean
}

/** One viewer's part in a picture. */
export interface PictureFeed {
  /** The viewer has drawn everything up to this frame: it may be sent more. */
  acknowledge(sequence: number): void
  /** The viewer itself is about to put the pointer there: it need not be told. */
  pointed(x: number, y: number): void
  /** The viewer wants the whole screen. */
  refresh(): void
  close(): void
}
