import { KcpError } from './kcp-error.ts'

/** The commands of the protocol. */
export const command = {
  /** Carries data. */
  push: 81,
  /** Acknowledges one segment and echoes its timestamp. */
  acknowledge: 82,
  /** Asks for the peer's window (WASK). */
  windowProbe: 83,
  /** Reports the own window (WINS), which every segment does; this one carries nothing else. */
  windowSize: 84,
} as const

export type Command = (typeof command)[keyof typeof command]

export interface Segment {
  readonly command: Command
  /** How many segments the sender can still receive. */
  readonly window: number
  readonly timestamp: number
  readonly sequence: number
  /** All segments before this one have been received. */
  readonly unacknowledged: number
  readonly data: Uint8Array
}

/** conv u32, cmd u8, frg u8, wnd u16, ts u32, sn u32, una u32, len u32, all little endian; then `len` bytes. */
export const headerBytes = 24

const commands: ReadonlySet<number> = new Set(Object.values(command))
const isCommand = (value: number): value is Command => commands.has(value)

/**
 * Reads all segments of a datagram, or throws a KcpError. Their data are views of the datagram. Peers in message mode
 * number the fragments of a message down to 0; in stream mode that number is ignored.
 */
export function readSegments(
  datagram: Uint8Array,
  { conv, maxData }: { conv: number; maxData: number },
): Segment[] {
  const fields = new DataView(datagram.buffer, datagram.byteOffset, datagram.byteLength)
  const segments: Segment[] = []
  for (let at = 0; at < datagram.length; ) {
    if (datagram.length - at < headerBytes)
      throw new KcpError(`${datagram.length - at} bytes are too few for a segment's header of ${headerBytes}`)
    const id = fields.getUint32(at, true)
    if (id !== conv) throw new KcpError(`the segment is of conversation ${id}, this is ${conv}`)
    const kind = fields.getUint8(at + 4)
    if (!isCommand(kind)) throw new KcpError(`${kind} is not a command; there are 81, 82, 83 and 84`)
    const length = fields.getUint32(at + 20, true)
    const start = at + headerBytes
    if (length > datagram.length - start)
      throw new KcpError(
        `a segment of ${length} bytes in a datagram that has ${datagram.length - start} left`,
      )
    if (length > maxData) throw new KcpError(`a segment of ${length} bytes, where ${maxData} are allowed`)
    segments.push({
      command: kind,
      window: fields.getUint16(at + 6, true),
      timestamp: fields.getUint32(at + 8, true),
      sequence: fields.getUint32(at + 12, true),
      unacknowledged: fields.getUint32(at + 16, true),
      data: datagram.subarray(start, start + length),
    })
    at = start + length
  }
  if (segments.length === 0) throw new KcpError('an empty datagram')
  return segments
}

/** Writes a segment at `at`, which must have enough space, and returns the position after it. */
export function writeSegment(target: Uint8Array, at: number, conv: number, segment: Segment): number {
  const fields = new DataView(target.buffer, target.byteOffset, target.byteLength)
  fields.setUint32(at, conv, true)
  fields.setUint8(at + 4, segment.command)
  fields.setUint8(at + 5, 0)
  fields.setUint16(at + 6, segment.window, true)
  fields.setUint32(at + 8, segment.timestamp, true)
  fields.setUint32(at + 12, segment.sequence, true)
  fields.setUint32(at + 16, segment.unacknowledged, true)
  fields.setUint32(at + 20, segment.data.length, true)
  target.set(segment.data, at + headerBytes)
  return at + headerBytes + segment.data.length
}
