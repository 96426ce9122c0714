import { helloOf } from '../greeting.ts'
import { type Frame, FrameReader, MuxOpener, type MuxStream, type StreamEvents } from '../index.ts'

export const nonce: Uint8Array = new Uint8Array(16).fill(7)

/** An opener whose other side is the test, and what it has reported. */
export class TestSession {
  readonly events: string[] = []
  readonly opener: MuxOpener
  readonly #reader = new FrameReader()

  constructor({ isReady = true, maxStaleBytes = 1_000_000 } = {}) {
    this.opener = new MuxOpener({
      nonce,
      maxStaleBytes,
      wake: () => {},
      ready: () => this.events.push('ready'),
    })
    if (!isReady) return
    this.sent()
    this.opener.receive(helloOf(nonce))
    this.events.length = 0
  }

  open(target = 'agent'): MuxStream {
    const stream = this.opener.open(
      target,
      this.#report(() => stream.number),
    )
    return stream
  }

  /** Takes what the opener sends until it has nothing more, or as many frames as requested. */
  sent(limit = Infinity): Frame[] {
    const frames: Frame[] = []
    while (frames.length < limit) {
      const bytes = this.opener.next()
      if (!bytes) break
      for (const frame of this.#reader.receive(bytes))
        frames.push({ ...frame, payload: frame.payload.slice() })
    }
    return frames
  }

  #report(number: () => number): StreamEvents {
    const report = (event: string) => this.events.push(`${event} ${number()}`)
    return {
      accepted: () => report('accepted'),
      refused: message => report(`refused: ${message}`),
      readable: () => report('readable'),
      written: () => report('written'),
      reset: () => report('reset'),
    }
  }
}

export function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The payload of a CREDIT. */
export function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}
