import { inflateSync } from 'fflate'
import { Fields, pack } from './fields.ts'
import { channel, encodeFrame, type Frame } from './frame.ts'
import { FrameError } from './frame-error.ts'

const types = { shape: 1, position: 2, hidden: 3 } as const

/** Larger images are not plausible as a pointer. */
const maxSide = 512

/** The pointer's shape and position. It is not part of the picture; the viewer draws it. */
export type CursorFrame =
  /** `rgba` is not premultiplied. The hotspot is the pixel that lies at the pointer's position. */
  | {
      readonly type: 'shape'
      readonly width: number
      readonly height: number
      readonly hotX: number
      readonly hotY: number
      readonly rgba: Uint8Array
    }
  | { readonly type: 'position'; readonly x: number; readonly y: number }
  /** There is no pointer to draw, or it is already part of the picture. */
  | { readonly type: 'hidden' }

/** Encodes a cursor frame. `deflate` must produce raw DEFLATE (RFC 1951). */
export function encodeCursor(frame: CursorFrame, deflate: (bytes: Uint8Array) => Uint8Array): Uint8Array {
  switch (frame.type) {
    case 'shape':
      return encodeFrame(
        channel.cursor,
        types.shape,
        pack([16, frame.width], [16, frame.height], [16, frame.hotX], [16, frame.hotY]),
        deflate(frame.rgba),
      )
    case 'position':
      return encodeFrame(channel.cursor, types.position, pack([16, frame.x], [16, frame.y]))
    case 'hidden':
      return encodeFrame(channel.cursor, types.hidden)
  }
}

/** Reads a cursor frame; throws a FrameError if it is malformed or too large. */
export function parseCursor({ type, payload }: Frame): CursorFrame {
  const fields = new Fields(payload)
  if (type === types.position) return { type: 'position', x: fields.u16(), y: fields.u16() }
  if (type === types.hidden) return { type: 'hidden' }
  if (type !== types.shape) throw new FrameError(`cursor has no type ${type}`)
  const [width, height, hotX, hotY] = [fields.u16(), fields.u16(), fields.u16(), fields.u16()]
  if (Math.max(width, height) > maxSide)
    throw new FrameError(`a pointer of ${width} by ${height} is too large`)
  return { type: 'shape', width, height, hotX, hotY, rgba: inflate(fields.rest(), 4 * width * height) }
}

function inflate(deflated: Uint8Array, length: number): Uint8Array {
  try {
    return inflateSync(deflated, { out: new Uint8Array(length) })
  } catch {
    throw new FrameError('the pointer is not valid DEFLATE data')
  }
}
