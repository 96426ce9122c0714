import { encodePicture, type PictureFrame } from '@sandglass/wire/frames'
import type { PictureSink } from './feed.ts'
import { Flow } from './flow.ts'

type WithoutSequence<T> = T extends unknown ? Omit<T, 'sequence'> : never

/** A frame of the picture that anybody may be sent. */
export type Drawing = WithoutSequence<PictureFrame>

/** What one viewer has of the picture, and what it lacks. */
export class Viewer {
  readonly sink: PictureSink
  /** The cells that it has not as they are now. */
  readonly missing = new Set<number>()
  readonly #flow = new Flow()

  constructor(sink: PictureSink) {
    this.sink = sink
  }

  get canTake(): boolean {
    return this.#flow.isOpen
  }

  send(drawing: Drawing): void {
    const frame = encodePicture({ ...drawing, sequence: this.#flow.nextSequence() })
    this.#flow.sent(frame.length)
    this.sink.send(frame)
  }

  acknowledged(sequence: number): void {
    this.#flow.acknowledged(sequence)
  }
}
