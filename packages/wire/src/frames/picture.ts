import { Fields, pack } from './fields.ts'
import { channel, encodeFrame, type Frame } from './frame.ts'
import { FrameError } from './frame-error.ts'
import type { Area } from './tiles.ts'

const types = { tiles: 1, image: 2, video: 3, acknowledge: 0x81, refresh: 0x82 } as const

const formats = ['jpeg', 'webp', 'png'] as const
export type ImageFormat = (typeof formats)[number]

/** The bits of a video frame's flags. */
const keyFlag = 1

/**
 * What changes the picture. Sequence numbers grow by one from frame to frame of this channel, whatever their type, and the
 * viewer acknowledges each once it is drawn.
 */
export type PictureFrame =
  /** The screen is so large now; `ops` are as tiles.ts says. A viewer whose screen has another size begins a black one. */
  | {
      readonly type: 'tiles'
      readonly sequence: number
      readonly width: number
      readonly height: number
      readonly ops: Uint8Array
    }
  /** A picture file to be drawn there. Tiles that make it exact may follow. */
  | {
      readonly type: 'image'
      readonly sequence: number
      readonly area: Area
      readonly format: ImageFormat
      readonly bytes: Uint8Array
    }
  /**
   * One access unit of H.264 (Annex B), to be drawn there. One with `isKey` begins a stream anew, with its parameter sets; its
   * size may be larger than the area by what rounding up to even numbers adds, and is cut.
   */
  | {
      readonly type: 'video'
      readonly sequence: number
      readonly area: Area
      readonly isKey: boolean
      readonly bytes: Uint8Array
    }

export type PictureAnswer =
  /** Everything up to this sequence number is drawn, or given up. */
  | { readonly type: 'acknowledge'; readonly sequence: number }
  /** What the viewer has is of no use: the whole screen, please. */
  | { readonly type: 'refresh' }

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
        pack([32, frame.sequence], ...place(frame.area), [8, formats.indexOf(frame.format)]),
        frame.bytes,
      )
    case 'video':
      return encodeFrame(
        channel.picture,
        types.video,
        pack([32, frame.sequence], ...place(frame.area), [8, frame.isKey ? keyFlag : 0]),
        frame.bytes,
      )
  }
}

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

export function encodePictureAnswer(answer: PictureAnswer): Uint8Array {
  return answer.type === 'acknowledge'
    ? encodeFrame(channel.picture, types.acknowledge, pack([32, answer.sequence]))
    : encodeFrame(channel.picture, types.refresh)
}

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

function place({ x, y, width, height }: Area): (readonly [16, number])[] {
  return [x, y, width, height].map(value => [16, value] as const)
}

export function readArea(fields: Fields): Area {
  return { x: fields.u16(), y: fields.u16(), width: fields.u16(), height: fields.u16() }
}
