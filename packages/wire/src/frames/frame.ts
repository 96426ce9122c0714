import { FrameError } from './frame-error.ts'

/** What a frame is about. Each channel has its own frame types. */
export const channel = { control: 0, picture: 1, cursor: 2, input: 3, clipboard: 4, statistics: 5 } as const

/** A frame as it is on the wire; the channel's codec reads the payload. */
export interface Frame {
  readonly channel: number
  readonly type: number
  readonly payload: Uint8Array
}

/** The length of the rest (32 bits, big endian), the channel and the type. */
export const headerLength = 6

/** The largest payload that either side accepts; the service accepts far less from a viewer. */
export const maxPayloadBytes = 16 * 1024 * 1024

/** Encodes a frame whose payload is the concatenation of `parts`. */
export function encodeFrame(
  channelNumber: number,
  type: number,
  ...parts: readonly Uint8Array[]
): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const frame = new Uint8Array(headerLength + length)
  new DataView(frame.buffer).setUint32(0, length + 2)
  frame[4] = channelNumber
  frame[5] = type
  let at = headerLength
  for (const part of parts) {
    frame.set(part, at)
    at += part.length
  }
  return frame
}

/** Reads bytes that are exactly one frame; throws a FrameError if they are not. */
export function parseFrame(bytes: Uint8Array): Frame {
  const { length } = bytes
  if (length < headerLength || new DataView(bytes.buffer, bytes.byteOffset).getUint32(0) !== length - 4)
    throw new FrameError(`${length} bytes are not one frame`)
  if (length - headerLength > maxPayloadBytes) throw new FrameError(`a frame of ${length} bytes is too long`)
  return { channel: bytes[4] ?? 0, type: bytes[5] ?? 0, payload: bytes.subarray(headerLength) }
}

/** Splits a byte stream into frames, however it arrives. Throws a FrameError, after which it must not be used again. */
export class FrameStream {
  readonly #maxBytes: (channelNumber: number) => number
  #chunks: Uint8Array[] = []
  #buffered = 0

  /** Limits the payload of every frame, or per channel, so that a peer cannot make this side buffer more. */
  constructor(maxBytes: number | ((channelNumber: number) => number) = maxPayloadBytes) {
    this.#maxBytes = typeof maxBytes === 'number' ? () => maxBytes : maxBytes
  }

  /** Adds a chunk and returns the frames that are complete. Payloads are views of the chunk or of a copy. */
  receive(chunk: Uint8Array): Frame[] {
    if (chunk.length > 0) this.#chunks.push(chunk)
    this.#buffered += chunk.length
    const frames: Frame[] = []
    for (;;) {
      if (this.#buffered < headerLength) break
      const length = this.#nextLength()
      if (this.#buffered < 4 + length) break
      const bytes = this.#take(4 + length)
      frames.push({ channel: bytes[4] ?? 0, type: bytes[5] ?? 0, payload: bytes.subarray(headerLength) })
    }
    return frames
  }

  #nextLength(): number {
    const head = this.#first(headerLength)
    const length = new DataView(head.buffer, head.byteOffset).getUint32(0)
    if (length < 2) throw new FrameError(`a frame of ${length} bytes is too short for its channel and type`)
    const maxBytes = this.#maxBytes(head[4] ?? 0)
    if (length - 2 > maxBytes)
      throw new FrameError(`a frame of ${length - 2} bytes exceeds the limit of ${maxBytes}`)
    return length
  }

  #take(length: number): Uint8Array {
    const bytes = this.#first(length)
    const rest = this.#chunks[0]?.subarray(length)
    if (rest?.length) this.#chunks[0] = rest
    else this.#chunks.shift()
    this.#buffered -= length
    return bytes
  }

  /** The first `length` bytes in one piece. */
  #first(length: number): Uint8Array {
    const first = this.#chunks[0]
    if (first && first.length >= length) return first.subarray(0, length)
    const whole = new Uint8Array(this.#buffered)
    let at = 0
    for (const chunk of this.#chunks) {
      whole.set(chunk, at)
      at += chunk.length
    }
    this.#chunks = [whole]
    return whole.subarray(0, length)
  }
}
