import { parseSetup, type Setup, setupLength } from './setup.ts'
import { X11Error } from './x11-error.ts'

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
  #rest: Uint8Array = new Uint8Array(0)
  #isSetUp = false

  receive(chunk: Uint8Array): Incoming[] {
    const messages: Incoming[] = []
    let bytes = this.#rest.length === 0 ? chunk : join(this.#rest, chunk)
    for (;;) {
      const length = this.#nextLength(bytes)
      if (length > maxMessageBytes) throw new X11Error(`a message of ${length} bytes exceeds the limit`)
      if (bytes.length < length) break
      const message = bytes.subarray(0, length)
      bytes = bytes.subarray(length)
      messages.push(this.#isSetUp ? parse(message) : this.#setUp(message))
    }
    // Copy the rest, so that a few bytes do not keep a large chunk alive.
    this.#rest = bytes.slice()
    return messages
  }

  #setUp(message: Uint8Array): Incoming {
    this.#isSetUp = true
    return { kind: 'setup', setup: parseSetup(message) }
  }

  #nextLength(bytes: Uint8Array): number {
    if (!this.#isSetUp) return bytes.length < 8 ? 8 : setupLength(bytes)
    if (bytes.length < 32) return 32
    const code = (bytes[0] ?? 0) & 0x7f
    return code === 1 || code === genericEvent ? 32 + 4 * u32(bytes, 4) : 32
  }
}

function parse(bytes: Uint8Array): Incoming {
  const kind = bytes[0]
  const sequence = u16(bytes, 2)
  if (kind === 0) return { kind: 'error', sequence, code: bytes[1] ?? 0, opcode: bytes[10] ?? 0 }
  if (kind === 1) return { kind: 'reply', sequence, bytes }
  return { kind: 'event', code: (kind ?? 0) & 0x7f, bytes }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

function u16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
}

function u32(bytes: Uint8Array, at: number): number {
  return u16(bytes, at) + u16(bytes, at + 2) * 65_536
}
