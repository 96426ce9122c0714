import type { PictureFeed, PictureSink } from '@sandglass/gateway/picture'
import type { RoomPicture } from '@sandglass/gateway/session'
import { FrameError, sequenceOf, withSequence } from '@sandglass/wire/frames'
import { isPicture } from './frame-joiner.ts'
import type { Recipient } from './from-session.ts'
import type { ToSession } from './to-session.ts'

/** The picture of a session in a worker. */
export class RemotePicture implements RoomPicture {
  readonly #tell: (message: ToSession) => void
  readonly #sinks = new Map<number, PictureSink>()
  #attached = 0

  constructor(tell: (message: ToSession) => void) {
    this.#tell = tell
  }

  attach(sink: PictureSink): PictureFeed {
    const viewer = ++this.#attached
    this.#sinks.set(viewer, sink)
    this.#tell({ kind: 'attach', viewer, takesVideo: sink.takesVideo })
    const tell = (message: ToSession) => {
      if (this.#sinks.has(viewer)) this.#tell(message)
    }
    return {
      acknowledge: sequence => tell({ kind: 'acknowledge', viewer, sequence }),
      pointed: (x, y) => tell({ kind: 'pointed', viewer, x, y }),
      refresh: () => tell({ kind: 'refresh', viewer }),
      close: () => this.#detach(viewer),
    }
  }

  /** Gives viewers a frame. Throws a FrameError if one of them never was, or is there twice. */
  show(to: readonly Recipient[], frame: Uint8Array): void {
    if (new Set(to.map(({ viewer }) => viewer)).size < to.length)
      throw new FrameError('a frame is sent twice to one viewer')
    for (const { viewer, sequence } of to) {
      if (viewer < 1 || viewer > this.#attached) throw new FrameError(`there is no viewer ${viewer}`)
      // Viewers that have left meanwhile are sent nothing.
      this.#sinks.get(viewer)?.send(numbered(frame, sequence))
    }
  }

  close(): void {
    for (const viewer of [...this.#sinks.keys()]) this.#detach(viewer)
  }

  #detach(viewer: number): void {
    if (this.#sinks.delete(viewer)) this.#tell({ kind: 'detach', viewer })
  }
}

/** Viewers share the bytes of a frame that is the same for them. */
function numbered(frame: Uint8Array, sequence: number): Uint8Array {
  return !isPicture(frame) || sequenceOf(frame) === sequence ? frame : withSequence(frame, sequence)
}
