import type { InputFrame } from '@sandglass/wire/frames'
import type { PictureFeed, PictureSink } from '../picture/feed.ts'

/** The picture of a screen, for any number of viewers. */
export interface RoomPicture {
  attach(sink: PictureSink): PictureFeed
  close(): void
}

/**
 * A room's use of its machine: picture, input and clipboard. It exists while the machine is there and somebody is in
 * the room. What the machine sends is read where its screen is, which may be another process.
 */
export interface RoomSession {
  readonly picture: RoomPicture
  /** Whether a key or button is down, or may be once the input is applied. It may stay true for a moment too long. */
  readonly isHolding: boolean
  /** The last text that the machine copied during the session. */
  readonly copied: string | undefined
  /** Applies a person's input after all input before it. */
  do(input: InputFrame): void
  /** Writes a text to the clipboard in the order of the input, so that the keys that paste it can follow. */
  paste(text: string): void
  /**
   * Drops the input that is not applied yet and releases every key and button, including those that the agent holds.
   * Resolves when that is done.
   */
  release(): Promise<void>
  /** Ends it, and releases every key and button. */
  close(): void
}

export interface SessionListener {
  /** Called when the machine copied a text. */
  readonly onCopy: (text: string) => void
  /** Called with unexpected errors of input and clipboard. */
  readonly onFault: (error: unknown) => void
  /** Called with errors that the picture survives, such as a missing video encoder. */
  readonly onPictureFault: (error: unknown) => void
  /** Called once if the screen cannot be watched, or no longer. No picture is sent then. */
  readonly onFailure: (error: unknown) => void
}

/** A machine as rooms use it. */
export interface RoomMachine {
  /** Begins a session. The listener is not called before this returns. Throws if the machine cannot be reached at the moment. */
  openSession(listener: SessionListener): RoomSession
}
