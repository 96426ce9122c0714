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

/** Cuts a stream of bytes into frames. Throws if one is longer than allowed. */
export class FrameReader {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  *read(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes >= headerBytes) {
      const header = this.#peek()
      const length = header.readUInt32BE(0)
      if (length > this.#maxBytes) throw new Error(`a frame of ${length} bytes`)
      if (this.#bytes < headerBytes + length) return
      const all = this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks)
      const rest = all.subarray(headerBytes + length)
      this.#chunks = rest.length > 0 ? [rest] : []
      this.#bytes = rest.length
      yield {
        kind: header.readUInt8(4),
        id: header.readUInt32BE(5),
        payload: all.subarray(headerBytes, headerBytes + length),
      }
    }
  }

  #peek(): Buffer {
    const [first] = this.#chunks
    if (first && first.length >= headerBytes) return first
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }
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
