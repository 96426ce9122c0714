import { FrameError } from './frame-error.ts'

/** What a frame is about. Each channel has its own types. */
export const channel = { control: 0, picture: 1, cursor: 2, input: 3, clipboard: 4, statistics: 5 } as const

export interface Frame {
  readonly channel: number
  readonly type: number
  readonly payload: Uint8Array
}

/** The length of what follows it (32 bits, big endian), the channel and the type. */
const headLength = 6

/** The most that either side takes in one frame; the service takes far less from a viewer. */
export const maxPayloadBytes = 16 * 1024 * 1024

export function encodeFrame(
  channelNumber: number,
  type: number,
  ...parts: readonly Uint8Array[]
): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const frame = new Uint8Array(headLength + length)
  new DataView(frame.buffer).setUint32(0, length + 2)
  frame[4] = channelNumber
  frame[5] = type
  let at = headLength
  for (const part of parts) {
    frame.set(part, at)
    at += part.length
  }
  return frame
}

/** Cuts a stream into frames, however it was split. Throws FrameError, and is of no use afterwards. */
export class FrameStream {
  readonly #longest: (channelNumber: number) => number
  #chunks: Uint8Array[] = []
  #held = 0

  /** The most that a payload may have: of any frame, or of one on that channel. */
  constructor(longest: number | ((channelNumber: number) => number) = maxPayloadBytes) {
    this.#longest = typeof longest === 'number' ? () => longest : longest
  }

  /** The payloads are views of what came, or of a copy of it. */
  receive(chunk: Uint8Array): Frame[] {
    if (chunk.length > 0) this.#chunks.push(chunk)
    this.#held += chunk.length
    const frames: Frame[] = []
    for (;;) {
      if (this.#held < headLength) break
      const length = this.#nextLength()
      if (this.#held < 4 + length) break
      const bytes = this.#take(4 + length)
      frames.push({ channel: bytes[4] ?? 0, type: bytes[5] ?? 0, payload: bytes.subarray(headLength) })
    }
    return frames
  }

  #nextLength(): number {
    const head = this.#first(headLength)
    const length = new DataView(head.buffer, head.byteOffset).getUint32(0)
    if (length < 2) throw new FrameError(`a frame of ${length} bytes has no room for its channel and type`)
    const longest = this.#longest(head[4] ?? 0)
    if (length - 2 > longest)
      throw new FrameError(`a frame of ${length - 2} bytes is more than the ${longest} that are taken here`)
    return length
  }

  #take(length: number): Uint8Array {
    const bytes = this.#first(length)
    const rest = this.#chunks[0]?.subarray(length)
    if (rest?.length) this.#chunks[0] = rest
    else this.#chunks.shift()
    this.#held -= length
    return bytes
  }

  /** So many bytes as one piece, which is where the first chunk begins. */
  #first(length: number): Uint8Array {
    const first = this.#chunks[0]
    if (first && first.length >= length) return first.subarray(0, length)
    const whole = new Uint8Array(this.#held)
    let at = 0
    for (const chunk of this.#chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    this.#chunks = [whole]
    return whole.subarray(0, length)
  }
}
