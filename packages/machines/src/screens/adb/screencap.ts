import { MachineError } from '../../contract/errors.ts'
import type { ScreenSize } from '../../contract/spec.ts'

export interface Capture extends ScreenSize {
  /** Four bytes a pixel: red, green, blue, and one that means nothing. */
  readonly pixels: Uint8Array<ArrayBuffer>
}

/** No phone is larger. */
const longestSide = 8192

/** Where it cannot, it prints why. */
const longestComplaint = 500

/** Android's PixelFormat: how many bytes a pixel has. */
const bytesOf: Readonly<Record<number, number>> = { 1: 4, 2: 4, 3: 3, 4: 2, 5: 4 }

/**
 * What `screencap` prints without `-p`: the width, the height and the format, since Android 9 the colour space too, as
 * 32 bits little endian each, and then the pixels.
 */
export function parseScreencap(bytes: Buffer, memory?: Uint8Array<ArrayBuffer>): Capture {
  if (bytes.length < 16) throw broken(`it printed ${bytes.length} bytes`)
  if (bytes.length < longestComplaint && /^[\x20-\x7e\s]+$/.test(bytes.toString('latin1')))
    throw broken(`it printed ${JSON.stringify(bytes.toString('latin1').trim())}`)
  const [width, height, format] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4), bytes.readUInt32LE(8)]
  const size = bytesOf[format]
  if (size === undefined || width < 1 || height < 1 || Math.max(width, height) > longestSide)
    throw broken(`${width}x${height} in the format ${format} is no screen`)
  const length = width * height * size
  const head = bytes.length - length
  // A colour space is a small number, which the first pixel of an older one is not: so one that lacks a pixel is told from it.
  const isWhole = head === 16 || (head === 12 && bytes.readUInt32LE(12) >= 256)
  if (!isWhole) throw broken(`${width}x${height} makes ${length} bytes, and ${head} more came`)
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
  // A word at a time, which is several times faster; a machine that runs this is little endian.
  const words = new Uint32Array(to.buffer, to.byteOffset, to.length / 4)
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? 0
    words[index] = (word & 0xff00ff00) | ((word & 0xff) << 16) | ((word >>> 16) & 0xff)
  }
}

function scaled(value: number, most: number): number {
  return Math.round((value * 255) / most)
}

function broken(what: string): MachineError {
  return new MachineError('MACHINE_FAILED', `The device's screencap cannot be read: ${what}.`)
}
