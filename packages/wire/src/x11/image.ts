import type { DamagedArea } from './damage.ts'
import { request } from './request.ts'
import { X11Error } from './x11-error.ts'

/** Packed pixels, not one plane after the other. */
const zPixmap = 2
const allPlanes = 0xffffffff
const headerLength = 32

/** Requests the pixels of a part of a window, including its visible children. */
export function getImage(window: number, { x, y, width, height }: DamagedArea): Uint8Array {
  return request(73, zPixmap, 5, data => {
    data.setUint32(4, window, true)
    data.setInt16(8, x, true)
    data.setInt16(10, y, true)
    data.setUint16(12, width, true)
    data.setUint16(14, height, true)
    data.setUint32(16, allPlanes, true)
  })
}

/** Converts true-colour pixels, which the server sends blue first, to red, green, blue and a padding byte. */
export function readImage(reply: Uint8Array, pixels: number): Uint8Array<ArrayBuffer> {
  const depth = reply[1]
  if (depth !== 24 && depth !== 32) throw new X11Error(`an image of depth ${depth} is not true colour`)
  if (reply.length < headerLength + 4 * pixels) throw new X11Error('an image is smaller than requested')
  const bytes = new Uint8Array(4 * pixels)
  bytes.set(reply.subarray(headerLength, headerLength + bytes.length))
  const words = new Int32Array(bytes.buffer)
  for (let at = 0; at < pixels; at++) {
    const word = words[at] ?? 0
    words[at] = (word & 0x00ff00) | ((word >>> 16) & 0xff) | ((word & 0xff) << 16)
  }
  return bytes
}
