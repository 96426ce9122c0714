/** The kinds of frames. Calls go from the caller to the responder, answers and notices the other way. */
export const kinds = {
  call: 1,
  answer: 2,
  failure: 3,
  cancel: 4,
  notice: 5,
  /** A piece of a channel; `part` if the message goes on in the next piece. */
  data: 6,
  part: 7,
  end: 8,
  reset: 9,
  credit: 10,
} as const

export type FrameKind = (typeof kinds)[keyof typeof kinds]

export interface Frame {
  readonly kind: number
  readonly id: number
  readonly payload: Buffer
}

/** The length of the rest, the kind and the number of the call or channel. */
const headerBytes = 9

export function frameHeader(kind: FrameKind, id: number, payloadBytes: number): Buffer {
  const header = Buffer.allocUnsafe(headerBytes)
  header.writeUInt32BE(payloadBytes, 0)
  header.writeUInt8(kind, 4)
  header.writeUInt32BE(id, 5)
  return header
}

/**
 * Cuts a stream of bytes into frames. Throws if one is longer than allowed. A piece of a channel is passed on as it arrives,
 * in several parts if need be, so that large transfers are not copied.
 */
export class FrameReader {
  readonly #maxBytes: number
  readonly #header = Buffer.alloc(headerBytes)
  #headerLength = 0
  /** How much of the payload is missing. */
  #left = 0
  #pieces: Buffer[] = []

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  *read(chunk: Buffer): Generator<Frame> {
    for (let at = 0; at < chunk.length; ) {
      if (this.#headerLength < headerBytes) {
        at += this.#readHeader(chunk.subarray(at))
        if (this.#headerLength < headerBytes) return
      }
      if (at === chunk.length && this.#left > 0) return
      const piece = chunk.subarray(at, at + this.#left)
      at += piece.length
      this.#left -= piece.length
      const frame = this.#frame(piece)
      if (frame) yield frame
    }
  }

  /** Returns how many bytes of it belong to the header. */
  #readHeader(chunk: Buffer): number {
    const taken = chunk.copy(this.#header, this.#headerLength)
    this.#headerLength += taken
    if (this.#headerLength < headerBytes) return taken
    this.#left = this.#header.readUInt32BE(0)
    if (this.#left > this.#maxBytes) throw new Error(`a frame of ${this.#left} bytes`)
    return taken
  }

  #frame(piece: Buffer): Frame | undefined {
    const kind = this.#header.readUInt8(4)
    const id = this.#header.readUInt32BE(5)
    const isWhole = this.#left === 0
    if (isWhole) this.#headerLength = 0
    if (kind === kinds.data || kind === kinds.part)
      return { kind: isWhole ? kind : kinds.part, id, payload: piece }
    this.#pieces.push(piece)
    if (!isWhole) return undefined
    const payload = this.#pieces.length === 1 ? piece : Buffer.concat(this.#pieces)
    this.#pieces = []
    return { kind, id, payload }
  }
}

export function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

/** A value as JSON, with raw bytes after it. */
export function joinPayload(value: unknown, bytes: Uint8Array = Buffer.of()): Buffer {
  const json = Buffer.from(JSON.stringify({ value }))
  const length = Buffer.allocUnsafe(4)
  length.writeUInt32BE(json.length)
  return Buffer.concat([length, json, bytes])
}

/** How long the JSON of a payload is. */
export const jsonBytes = (payload: Buffer) => payload.readUInt32BE(0)

/** Throws if it is malformed, or if the JSON is longer than allowed. */
export function splitPayload(
  payload: Buffer,
  maxJsonBytes: number,
): { readonly value: unknown; readonly bytes: Buffer } {
  const length = jsonBytes(payload)
  if (length > maxJsonBytes) throw new Error(`a value of ${length} bytes`)
  const { value } = JSON.parse(payload.toString('utf8', 4, 4 + length))
  return { value, bytes: payload.subarray(4 + length) }
}
