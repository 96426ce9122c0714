import { MachineError } from '../../contract/errors.ts'
import type { ScreenSize } from '../../contract/spec.ts'

export interface Capture extends ScreenSize {
  /** Four bytes per pixel: red, green, blue and an undefined one. */
  readonly pixels: Uint8Array<ArrayBuffer>
}

/** The max width and height; no phone is larger. */
const maxSide = 8192

/** No phone or tablet has more pixels; a 4K television has 8 million. */
export const maxPixels = 4096 * 3072

/** Shorter output may be an error message, which screencap prints instead of a picture. */
const maxErrorLength = 500

/** Bytes per pixel by Android's PixelFormat. */
const bytesOf: Readonly<Record<number, number>> = { 1: 4, 2: 4, 3: 3, 4: 2, 5: 4 }

/**
 * Parses the output of `screencap` without `-p`: width, height, format and, since Android 9, the colour space, as
 * 32-bit little-endian numbers, followed by the pixels.
 */
export function parseScreencap(bytes: Buffer, memory?: Uint8Array<ArrayBuffer>): Capture {
  if (bytes.length < 16) throw broken(`it printed ${bytes.length} bytes`)
  if (bytes.length < maxErrorLength && /^[\x20-\x7e\s]+$/.test(bytes.toString('latin1')))
    throw broken(`it printed ${JSON.stringify(bytes.toString('latin1').trim())}`)
  const [width, height, format] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  const size = bytesOf[format]
  if (
    size === undefined ||
    width < 1 ||
    height < 1 ||
    Math.max(width, height) > maxSide ||
    width * height > maxPixels
  )
    throw broken(`${width}x${height} in the format ${format} is not a valid screen`)
  const length = width * height * size
  const head = bytes.length - length
  // A colour space is a small number, and the first pixel of an older format is not. This tells a capture without a
  // colour space from one that lacks a pixel.
  const isWhole = head === 16 || (head === 12 && bytes.readUInt32LE(12) >= 256)
  if (!isWhole) throw broken(`${width}x${height} takes ${length} bytes, but ${head} more arrived`)
  const wanted = width * height * 4
  const pixels = memory?.length === wanted ? memory : new Uint8Array(wanted)
  unpack(bytes.subarray(head), format, pixels)
  return { width, height, pixels }
}

function unpack(from: Buffer, format: number, to: Uint8Array): void {
  if (format === 1 || format === 2) to.set(from)
  else if (format === 5) swapRedAndBlue(from, to)
  else if (format === 3)
    for (let at = 0, pixel = 0; at < from.length; at += 3, pixel += 4)
      to.set(from.subarray(at, at + 3), pixel)
  else
    for (let at = 0, pixel = 0; at < from.length; at += 2, pixel += 4) {
      const value = from.readUInt16LE(at)
      to[pixel] = scaled(value >> 11, 31)
      to[pixel + 1] = scaled((value >> 5) & 63, 63)
      to[pixel + 2] = scaled(value & 31, 31)
    }
}

function swapRedAndBlue(from: Buffer, to: Uint8Array): void {
  to.set(from)
  // Swapping whole words is several times faster. It assumes a little-endian host.
  const words = new Uint32Array(to.buffer, to.byteOffset, to.length / 4)
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? 0
    words[index] = (word & 0xff00ff00) | ((word & 0xff) << 16) | ((word >>> 16) & 0xff)
  }
}

function scaled(value: number, max: number): number {
  return Math.round((value * 255) / max)
}

function broken(what: string): MachineError {
  return new MachineError('MACHINE_FAILED', `The device's screencap cannot be read: ${what}.`)
}
