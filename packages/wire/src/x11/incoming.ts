import { parseSetup, type Setup, setupLength } from './setup.ts'
import { X11LimitError } from './x11-error.ts'

/** A message of the server. Sequence numbers are the low 16 bits, as on the wire. */
export type Incoming =
  | { readonly kind: 'setup'; readonly setup: Setup }
  | { readonly kind: 'reply'; readonly sequence: number; readonly bytes: Uint8Array }
  | { readonly kind: 'error'; readonly sequence: number; readonly code: number; readonly opcode: number }
  | { readonly kind: 'event'; readonly code: number; readonly bytes: Uint8Array }

/** The setup and all replies that this client requests are far smaller. */
const maxMessageBytes = 256 * 1024

const genericEvent = 35

/**
 * Splits the server's byte stream into messages, however it arrives. Throws an X11Error, after which it must not be
 * used again.
 */
export class IncomingStream {
  /** The begin of a message of which not all bytes have arrived; as long as is known to be needed. */
  #partial: Uint8Array | undefined
  #filled = 0
  #isSetUp = false

  /** The bytes of a message may be a view of the chunk. */
  receive(chunk: Uint8Array): Incoming[] {
    const messages: Incoming[] = []
    for (let at = 0; at < chunk.length; ) {
      const rest = chunk.subarray(at)
      const length = this.#partial ? 0 : this.#nextLength(rest)
      if (length > 0 && length <= rest.length) {
        messages.push(this.#read(rest.subarray(0, length)))
        at += length
      } else {
        this.#partial ??= new Uint8Array(length)
        at += this.#fill(this.#partial, rest, messages)
      }
    }
    return messages
  }

  /** Adds bytes to the partial message, and returns how many. Each byte is copied once or twice, however they arrive. */
  #fill(partial: Uint8Array, rest: Uint8Array, messages: Incoming[]): number {
    const used = Math.min(partial.length - this.#filled, rest.length)
    partial.set(rest.subarray(0, used), this.#filled)
    this.#filled += used
    if (this.#filled < partial.length) return used
    const length = this.#nextLength(partial)
    if (length > partial.length) {
      this.#partial = new Uint8Array(length)
      this.#partial.set(partial)
    } else {
      this.#partial = undefined
      this.#filled = 0
      messages.push(this.#read(partial))
    }
    return used
  }

  #read(message: Uint8Array): Incoming {
    return this.#isSetUp ? parse(message) : this.#setUp(message)
  }

  #setUp(message: Uint8Array): Incoming {
    this.#isSetUp = true
    return { kind: 'setup', setup: parseSetup(message) }
  }

  /** The length of the next message, or of its header if that has not arrived. */
  #nextLength(bytes: Uint8Array): number {
    const length = this.#isSetUp ? lengthOf(bytes) : bytes.length < 8 ? 8 : setupLength(bytes)
    if (length > maxMessageBytes) throw new X11LimitError(`a message of ${length} bytes exceeds the limit`)
    return length
  }
}

function lengthOf(bytes: Uint8Array): number {
  if (bytes.length < 32) return 32
  const code = (bytes[0] ?? 0) & 0x7f
  return code === 1 || code === genericEvent ? 32 + 4 * u32(bytes, 4) : 32
}

function parse(bytes: Uint8Array): Incoming {
  const kind = bytes[0]
  const sequence = u16(bytes, 2)
  if (kind === 0) return { kind: 'error', sequence, code: bytes[1] ?? 0, opcode: bytes[10] ?? 0 }
  if (kind === 1) return { kind: 'reply', sequence, bytes }
  return { kind: 'event', code: (kind ?? 0) & 0x7f, bytes }
}

function u16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
}

function u32(bytes: Uint8Array, at: number): number {
  return u16(bytes, at) + u16(bytes, at + 2) * 65_536
}
