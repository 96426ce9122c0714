import { X11Error } from './x11-error.ts'

/** What of the server's first answer a client needs that gives input and looks. */
export interface Setup {
  /** The root window of the first screen. */
  readonly root: number
  /** The first of the numbers that this client may give to what it makes. */
  readonly resourceIdBase: number
  readonly width: number
  readonly height: number
  readonly minKeycode: number
  readonly maxKeycode: number
}

/** The first bytes of a connection: little endian, protocol 11.0, no authorization. */
export function connectionRequest(): Uint8Array {
  return Uint8Array.of(0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

/** How long the server's answer is, from its first 8 bytes. */
export function setupLength(head: Uint8Array): number {
  return 8 + 4 * view(head).getUint16(6, true)
}

/** Reads the whole answer; throws what the server says where it refuses. */
export function parseSetup(bytes: Uint8Array): Setup {
  const data = view(bytes)
  if (data.getUint8(0) !== 1) throw new X11Error(`the X server refused the connection: ${refusal(bytes)}`)
  try {
    const vendorLength = data.getUint16(24, true)
    const formats = data.getUint8(29)
    const screen = 40 + pad(vendorLength) + 8 * formats
    return {
      root: data.getUint32(screen, true),
      resourceIdBase: data.getUint32(12, true),
      width: data.getUint16(screen + 20, true),
      height: data.getUint16(screen + 22, true),
      minKeycode: data.getUint8(34),
      maxKeycode: data.getUint8(35),
    }
  } catch (cause) {
    throw new X11Error('the X server describes no screen', { cause })
  }
}

function refusal(bytes: Uint8Array): string {
  const reason = bytes.subarray(8, 8 + (bytes[1] ?? 0))
  return new TextDecoder('latin1').decode(reason).trim() || 'without a reason'
}

function pad(length: number): number {
  return (length + 3) & ~3
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
