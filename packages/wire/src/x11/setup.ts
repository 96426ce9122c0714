import { X11Error } from './x11-error.ts'

/** The parts of the server's connection setup that an input and screenshot client needs. */
export interface Setup {
  /** The root window of the first screen. */
  readonly root: number
  /** The first resource id that this client may use. */
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

/** The length of the server's reply, from its first 8 bytes. */
export function setupLength(head: Uint8Array): number {
  return 8 + 4 * view(head).getUint16(6, true)
}

/** Reads the server's reply. Throws an X11Error with the server's reason if it refuses the connection. */
export function parseSetup(bytes: Uint8Array): Setup {
  const data = view(bytes)
  if (data.getUint8(0) !== 1) throw new X11Error(`the X server refused the connection: ${refusal(bytes)}`)
  try {
    const vendorLength = data.getUint16(24, true)
    const formats = data.getUint8(29)
    const screen = 40 + pad(vendorLength) + 8 * formats
    const [minKeycode, maxKeycode] = [data.getUint8(34), data.getUint8(35)]
    if (minKeycode < 8 || maxKeycode < minKeycode)
      throw new X11Error(`keycodes from ${minKeycode} to ${maxKeycode} are not possible`)
    return {
      root: data.getUint32(screen, true),
      resourceIdBase: data.getUint32(12, true),
      width: data.getUint16(screen + 20, true),
      height: data.getUint16(screen + 22, true),
      minKeycode,
      maxKeycode,
    }
  } catch (cause) {
    throw cause instanceof X11Error ? cause : new X11Error('the X server describes no screen', { cause })
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
