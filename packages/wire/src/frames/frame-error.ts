/**
 * The bytes are not frames, or a frame does not match its type. The message says what arrived and what was expected.
 */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}
