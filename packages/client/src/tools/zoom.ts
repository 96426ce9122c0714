import { type Size, ToolError } from '@sandglass/protocol/tools'
import { decode, encode } from 'fast-png'
import { base64Of, bytesOf } from '../sandbox/base64.ts'
import type { Picture } from './outcome.ts'

export interface Area extends Size {
  readonly x: number
  readonly y: number
}

/** Cuts an area out of a PNG of the screen and enlarges it, so that it is as large as it can be within the given size. */
export function zoomInto(screen: Picture, area: Area, within: Size): Picture {
  const factor = Math.min(within.width / area.width, within.height / area.height)
  const side = (pixels: number) => Math.max(1, Math.round(pixels * factor))
  const size = { width: side(area.width), height: side(area.height) }
  const { width, channels, data } = decode(bytesOf(screen.base64))
  const enlarged = enlarge({ width, channels, data }, area, size)
  return { mediaType: 'image/png', base64: base64Of(encode({ ...size, channels, data: enlarged })), ...size }
}

interface Pixels {
  readonly width: number
  readonly channels: number
  readonly data: ArrayLike<number> & { subarray(begin: number, end: number): ArrayLike<number> }
}

/** Each pixel is that of the screen at its middle. Letters stay sharp, which models read better than smooth ones. */
function enlarge({ width, channels, data }: Pixels, area: Area, size: Size): Uint8Array {
  const result = new Uint8Array(size.width * size.height * channels)
  let to = 0
  for (let y = 0; y < size.height; y++) {
    const row = area.y + Math.floor(((y + 0.5) * area.height) / size.height)
    for (let x = 0; x < size.width; x++) {
      const from = (row * width + area.x + Math.floor(((x + 0.5) * area.width) / size.width)) * channels
      result.set(data.subarray(from, from + channels), to)
      to += channels
    }
  }
  return result
}

/** The area between two corners, the second of which is not part of it. */
export function areaBetween(from: { x: number; y: number }, to: { x: number; y: number }): Area {
  const area = { x: from.x, y: from.y, width: to.x - from.x, height: to.y - from.y }
  if (area.width < 1 || area.height < 1)
    throw new ToolError('region is empty: give [x0, y0, x1, y1], where x1 is greater than x0 and y1 than y0.')
  return area
}
