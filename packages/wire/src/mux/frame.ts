import { MuxError } from './mux-error.ts'

/** The byte before a frame that is skipped. Every frame begins with another one. */
export const pad = 0

export const frameType = {
  hello: 1,
  open: 2,
  accept: 3,
  refuse: 4,
  data: 5,
  credit: 6,
  end: 7,
  reset: 8,
  ping: 9,
  pong: 10,
} as const

/** Type (8 bits), stream (32 bits) and length of the payload (16 bits), big endian. */
export const headerBytes = 7
/** The last byte of every frame. A frame that was cut off and filled up with zeros does not have it. */
export const endMark = 0x7e
/** The largest frame. A virtio-serial port takes no more in one write. */
export const maxFrameBytes = 32 * 1024
export const maxPayloadBytes = maxFrameBytes - headerBytes - 1
/** How much may be sent in one direction of a stream before the receiver gives credit. */
export const windowBytes = 256 * 1024
export const maxStreams = 1024

export interface Frame {
  readonly type: number
  readonly stream: number
  /** A view of what was received, valid until more is received. */
  readonly payload: Uint8Array
}

interface Rule {
  readonly name: string
  readonly min: number
  readonly max: number
  /** About the session instead of one stream. The number of the stream is 0. */
  readonly isOfSession?: true
}

const rules: Readonly<Record<number, Rule>> = {
  [frameType.hello]: { name: 'HELLO', min: 17, max: 17, isOfSession: true },
  [frameType.open]: { name: 'OPEN', min: 1, max: 64 },
  [frameType.accept]: { name: 'ACCEPT', min: 0, max: 0 },
  [frameType.refuse]: { name: 'REFUSE', min: 0, max: 200 },
  [frameType.data]: { name: 'DATA', min: 1, max: maxPayloadBytes },
  [frameType.credit]: { name: 'CREDIT', min: 4, max: 4 },
  [frameType.end]: { name: 'END', min: 0, max: 0 },
  [frameType.reset]: { name: 'RESET', min: 0, max: 0 },
  [frameType.ping]: { name: 'PING', min: 8, max: 8, isOfSession: true },
  [frameType.pong]: { name: 'PONG', min: 8, max: 8, isOfSession: true },
}

/** The name of a type in messages. */
export function nameOf(type: number): string {
  return rules[type]?.name ?? `type ${type}`
}

/** Reads the header at `at`, which has arrived completely, and returns the length of the payload. */
export function checkHeader(bytes: Uint8Array, at: number): number {
  const type = bytes[at] ?? 0
  const rule = rules[type]
  if (!rule) throw new MuxError(`a frame has the unknown type ${type}`)
  const length = ((bytes[at + 5] ?? 0) << 8) | (bytes[at + 6] ?? 0)
  if (length < rule.min || length > rule.max)
    throw new MuxError(
      `${rule.name} has a payload of ${length} bytes; ${rule.min} to ${rule.max} are allowed`,
    )
  if ((streamAt(bytes, at) === 0) !== (rule.isOfSession === true))
    throw new MuxError(`${rule.name} is for stream ${streamAt(bytes, at)}`)
  return length
}

/** The number of the stream in the header at `at`. */
export function streamAt(bytes: Uint8Array, at: number): number {
  const low = ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0)
  return (bytes[at + 1] ?? 0) * 0x1_00_00_00 + low
}

/** Encodes a frame. The payload must be of a length that the type allows. */
export function encodeFrame(
  type: number,
  stream: number,
  payload: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const frame = new Uint8Array(headerBytes + payload.length + 1)
  const fields = new DataView(frame.buffer)
  frame[0] = type
  fields.setUint32(1, stream)
  fields.setUint16(5, payload.length)
  frame.set(payload, headerBytes)
  frame[headerBytes + payload.length] = endMark
  return frame
}
