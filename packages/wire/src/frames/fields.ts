import { FrameError } from './frame-error.ts'

/**
 * Reads the fields of a payload in order. All numbers are big endian. Throws a FrameError if the payload is too short.
 */
export class Fields {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  get remaining(): number {
    return this.#bytes.length - this.#at
  }

  u8(): number {
    return this.#view.getUint8(this.#step(1))
  }

  u16(): number {
    return this.#view.getUint16(this.#step(2))
  }

  i16(): number {
    return this.#view.getInt16(this.#step(2))
  }

  u32(): number {
    return this.#view.getUint32(this.#step(4))
  }

  /** A view of the payload, not a copy. */
  bytes(length: number): Uint8Array {
    const start = this.#step(length)
    return this.#bytes.subarray(start, start + length)
  }

  rest(): Uint8Array {
    return this.bytes(this.remaining)
  }

  /** The rest as text; throws a FrameError if it is not UTF-8. */
  text(): string {
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.rest())
    } catch {
      throw new FrameError('the text is not UTF-8')
    }
  }

  end(): void {
    if (this.remaining > 0) throw new FrameError(`${this.remaining} bytes follow the last field`)
  }

  #step(length: number): number {
    if (length > this.remaining)
      throw new FrameError(`the payload ends ${length - this.remaining} bytes before its fields do`)
    const start = this.#at
    this.#at += length
    return start
  }
}

/** Encodes fields in order; each is a width in bits and a value. */
export function pack(...fields: readonly (readonly [bits: 8 | 16 | 32, value: number])[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [bits]) => sum + bits / 8, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [bits, value] of fields) {
    if (bits === 8) view.setUint8(at, value)
    else if (bits === 16) view.setUint16(at, value)
    else view.setUint32(at, value)
    at += bits / 8
  }
  return bytes
}
