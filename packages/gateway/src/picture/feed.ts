/** Receives the picture for one viewer. */
export interface PictureSink {
  /**
   * Sends a complete frame of the picture or cursor channel. Its bytes must not be modified, since viewers share
   * them.
   */
  send(frame: Uint8Array): void
  /** Whether the viewer can decode H.264. */
  readonly takesVideo: boolean
}

/** A viewer's subscription to a picture. */
export interface PictureFeed {
  /** The viewer has drawn everything up to this frame, so more can be sent. */
  acknowledge(sequence: number): void
  /** The viewer is moving the pointer there itself and need not be informed. */
  pointed(x: number, y: number): void
  /** The viewer needs the whole screen again. */
  refresh(): void
  close(): void
}
