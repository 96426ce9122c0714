import { Fields, pack } from './fields.ts'
import { channel, encodeFrame, type Frame, headerLength } from './frame.ts'
import { FrameError } from './frame-error.ts'
import type { Area } from './tiles.ts'

const types = { tiles: 1, image: 2, video: 3, acknowledge: 0x81, refresh: 0x82 } as const

const formats = ['jpeg', 'webp', 'png'] as const
/** The file formats of `image` frames. */
export type ImageFormat = (typeof formats)[number]

/** A flag of video frames. */
const keyFlag = 1

/**
 * A change of the picture. Sequence numbers increase by one per frame of this channel, whatever its type, and the
 * viewer acknowledges each frame once it is drawn.
 */
export type PictureFrame =
  /**
   * The size of the screen, and ops as in tiles.ts. If the viewer's screen has another size, it starts over with a
   * black one.
   */
  | {
      readonly type: 'tiles'
      readonly sequence: number
      readonly width: number
      readonly height: number
      readonly ops: Uint8Array
    }
  /** An image file to draw into the area. Tiles that make it exact may follow. */
  | {
      readonly type: 'image'
      readonly sequence: number
      readonly area: Area
      readonly format: ImageFormat
      readonly bytes: Uint8Array
    }
  /**
   * An access unit of H.264 (Annex B) to draw into the area. `isKey` starts a new stream that includes its parameter
   * sets. The picture can be larger than the area because its size is rounded up to even numbers; the rest is cut off.
   */
  | {
      readonly type: 'video'
      readonly sequence: number
      readonly area: Area
      readonly isKey: boolean
      readonly bytes: Uint8Array
    }

/** The viewer's feedback on the picture channel. */
export type PictureAnswer =
  /** Everything up to this sequence number has been drawn or skipped. */
  | { readonly type: 'acknowledge'; readonly sequence: number }
  /** The viewer's picture is broken and it needs the whole screen again. */
  | { readonly type: 'refresh' }

/** Encodes a change of the picture. */
export function encodePicture(frame: PictureFrame): Uint8Array {
  switch (frame.type) {
    case 'tiles':
      return encodeFrame(
        channel.picture,
        types.tiles,
        pack([32, frame.sequence], [16, frame.width], [16, frame.height]),
        frame.ops,
      )
    case 'image':
      return encodeFrame(
        channel.picture,
        types.image,
        pack([32, frame.sequence], ...areaFields(frame.area), [8, formats.indexOf(frame.format)]),
        frame.bytes,
      )
    case 'video':
      return encodeFrame(
        channel.picture,
        types.video,
        pack([32, frame.sequence], ...areaFields(frame.area), [8, frame.isKey ? keyFlag : 0]),
        frame.bytes,
      )
  }
}

/** The bytes of a picture frame before what viewers have in common: its header and its sequence number. */
const ownLength = headerLength + 4

/** The sequence number of an encoded picture frame; throws a FrameError if it is too short for one. */
export function sequenceOf(picture: Uint8Array): number {
  return new Fields(picture.subarray(headerLength)).u32()
}

/** A copy of an encoded picture frame with another sequence number. */
export function withSequence(picture: Uint8Array, sequence: number): Uint8Array {
  const copy = new Uint8Array(picture)
  copy.set(pack([32, sequence]), headerLength)
  return copy
}

/** What an encoded picture frame shows, without its sequence number. */
export function shownBy(picture: Uint8Array): Uint8Array {
  return picture.subarray(ownLength)
}

/** Reads a picture frame; throws a FrameError if it is malformed. Tiles are not decoded yet. */
export function parsePicture({ type, payload }: Frame): PictureFrame {
  const fields = new Fields(payload)
  const sequence = fields.u32()
  if (type === types.tiles)
    return { type: 'tiles', sequence, width: fields.u16(), height: fields.u16(), ops: fields.rest() }
  const area = readArea(fields)
  if (type === types.image) {
    const format = formats[fields.u8()]
    if (!format) throw new FrameError(`an image is one of ${formats.join(', ')}`)
    return { type: 'image', sequence, area, format, bytes: fields.rest() }
  }
  if (type === types.video)
    return { type: 'video', sequence, area, isKey: (fields.u8() & keyFlag) !== 0, bytes: fields.rest() }
  throw new FrameError(`picture has no type ${type}`)
}

/** Encodes the viewer's feedback. */
export function encodePictureAnswer(answer: PictureAnswer): Uint8Array {
  return answer.type === 'acknowledge'
    ? encodeFrame(channel.picture, types.acknowledge, pack([32, answer.sequence]))
    : encodeFrame(channel.picture, types.refresh)
}

/** Reads the viewer's feedback; throws a FrameError if it is malformed. */
export function parsePictureAnswer({ type, payload }: Frame): PictureAnswer {
  const fields = new Fields(payload)
  const answer = readAnswer(type, fields)
  fields.end()
  return answer
}

function readAnswer(type: number, fields: Fields): PictureAnswer {
  if (type === types.acknowledge) return { type: 'acknowledge', sequence: fields.u32() }
  if (type === types.refresh) return { type: 'refresh' }
  throw new FrameError(`a viewer's picture frames have no type ${type}`)
}

function areaFields({ x, y, width, height }: Area): (readonly [16, number])[] {
  return [x, y, width, height].map(value => [16, value] as const)
}

export function readArea(fields: Fields): Area {
  return { x: fields.u16(), y: fields.u16(), width: fields.u16(), height: fields.u16() }
}
