import { inflateSync } from 'fflate'
import { Fields, pack } from './fields.ts'
import { FrameError } from './frame-error.ts'

/** A rectangle of the screen in pixels. */
export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const codes = { fill: 0, copy: 1, palette: 2, rgb: 3, packed: 4, columns: 5, mark: 6 } as const

/** A full-colour screen of 4096 by 4096 pixels and the headers of its tiles. */
const maxInflatedBytes = 49 * 1024 * 1024

interface PaletteTile<Op extends string> {
  readonly op: Op
  readonly area: Area
  readonly colours: Uint8Array
  readonly indices: Uint8Array
}

/** An operation on the picture; operations apply in order. */
export type TileOp =
  | { readonly op: 'fill'; readonly area: Area; readonly colour: Uint8Array }
  /** Copies the area at `from`; the two may overlap. */
  | { readonly op: 'copy'; readonly area: Area; readonly from: { readonly x: number; readonly y: number } }
  /**
   * Up to 256 colours of three bytes. `indices` selects one per pixel, row by row. With up to 2, 4 or 16 colours an
   * index has 1, 2 or 4 bits, the first in the highest bits, and each row starts with a new byte. Otherwise indices are
   * bytes.
   */
  | PaletteTile<'palette'>
  /**
   * Like `palette`, but column by column: in a line of text, equal letters then produce equal bytes, which compress
   * better.
   */
  | PaletteTile<'columns'>
  /** Two colours and up to 255 by 255 pixels of one bit each, row by row without padding: a letter in few bytes. */
  | PaletteTile<'mark'>
  /** Three bytes per pixel, row by row. */
  | { readonly op: 'rgb'; readonly area: Area; readonly pixels: Uint8Array }

/** The number of bits per index of a palette. */
export function indexBits(colourCount: number): 1 | 2 | 4 | 8 {
  if (colourCount <= 2) return 1
  if (colourCount <= 4) return 2
  return colourCount <= 16 ? 4 : 8
}

/** Encodes one operation. */
export function encodeTile(tile: TileOp): Uint8Array {
  const { x, y, width, height } = tile.area
  if (tile.op === 'mark')
    return join(pack([8, codes.mark], [16, x], [16, y], [8, width], [8, height]), tile.colours, tile.indices)
  const head = pack([8, codes[tile.op]], [16, x], [16, y], [16, width], [16, height])
  switch (tile.op) {
    case 'fill':
      return join(head, tile.colour)
    case 'copy':
      return join(head, pack([16, tile.from.x], [16, tile.from.y]))
    case 'palette':
    case 'columns':
      return join(head, pack([8, tile.colours.length / 3 - 1]), tile.colours, tile.indices)
    case 'rgb':
      return join(head, tile.pixels)
  }
}

/** Wraps ops compressed with raw DEFLATE (RFC 1951) into one op. `length` is their uncompressed length. */
export function encodePacked(length: number, deflated: Uint8Array): Uint8Array {
  return join(pack([8, codes.packed], [32, length], [32, deflated.length]), deflated)
}

/** Decodes ops one by one and unpacks compressed ones. Throws a FrameError at the first invalid op. */
export function* parseTiles(ops: Uint8Array): Generator<TileOp> {
  const fields = new Fields(ops)
  while (fields.remaining > 0) {
    const code = fields.u8()
    if (code === codes.packed) yield* parsePlain(inflate(fields.u32(), fields.bytes(fields.u32())))
    else yield readTile(code, fields)
  }
}

function* parsePlain(ops: Uint8Array): Generator<TileOp> {
  const fields = new Fields(ops)
  while (fields.remaining > 0) yield readTile(fields.u8(), fields)
}

function readTile(code: number, fields: Fields): TileOp {
  if (code === codes.mark) return readMark(fields)
  const area = { x: fields.u16(), y: fields.u16(), width: fields.u16(), height: fields.u16() }
  if (code === codes.fill) return { op: 'fill', area, colour: fields.bytes(3) }
  if (code === codes.copy) return { op: 'copy', area, from: { x: fields.u16(), y: fields.u16() } }
  if (code === codes.rgb) return { op: 'rgb', area, pixels: fields.bytes(3 * area.width * area.height) }
  if (code !== codes.palette && code !== codes.columns)
    throw new FrameError(`no tile has the code ${code} here`)
  const count = fields.u8() + 1
  const colours = fields.bytes(3 * count)
  const [op, length, lines] =
    code === codes.palette
      ? (['palette', area.width, area.height] as const)
      : (['columns', area.height, area.width] as const)
  const stride = Math.ceil((length * indexBits(count)) / 8)
  return { op, area, colours, indices: fields.bytes(stride * lines) }
}

function readMark(fields: Fields): TileOp {
  const area = { x: fields.u16(), y: fields.u16(), width: fields.u8(), height: fields.u8() }
  const colours = fields.bytes(6)
  return { op: 'mark', area, colours, indices: fields.bytes(Math.ceil((area.width * area.height) / 8)) }
}

function inflate(length: number, deflated: Uint8Array): Uint8Array {
  if (length > maxInflatedBytes)
    throw new FrameError(`packed tiles of ${length} bytes are larger than a screen`)
  try {
    return inflateSync(deflated, { out: new Uint8Array(length) })
  } catch {
    throw new FrameError('packed tiles are not valid DEFLATE data')
  }
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
