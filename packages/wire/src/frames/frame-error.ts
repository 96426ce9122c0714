/** Bytes that are no frames, or a frame that is none of its type. The message says what came and what would be right. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}
