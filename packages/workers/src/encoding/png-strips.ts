import { constants, crc32, deflateRawSync } from 'node:zlib'
import { type Adler, adlerOf, joinAdler } from './adler.ts'

/** A part of a PNG: some of its rows, compressed independently of those before. */
export interface PngStrip {
  /** A complete IDAT chunk. */
  readonly chunk: Uint8Array
  readonly adler: Adler
}

const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
/** The header of a zlib stream with a window of 32 KiB, compressed fast. */
const zlibHeader = Uint8Array.of(0x78, 0x01)
/** An empty block that is marked as the last one. */
const lastBlock = Uint8Array.of(0x03, 0x00)
const eightBitRgb = Uint8Array.of(8, 2, 0, 0, 0)

/**
 * Compresses rows of a picture. A full flush ends the output at a whole byte and makes what follows independent of it, so
 * that the strips of a picture can be joined in any combination.
 */
export function pngStrip(pixels: Uint8Array, width: number): PngStrip {
  const rows = rowsOf(pixels, width)
  const data = deflateRawSync(rows, { level: 1, finishFlush: constants.Z_FULL_FLUSH })
  return { chunk: chunkOf('IDAT', data), adler: adlerOf(rows) }
}

/** Joins strips, from the top, to a file. */
export function joinPng(width: number, height: number, strips: readonly PngStrip[]): Uint8Array<ArrayBuffer> {
  const size = new Uint8Array(8)
  new DataView(size.buffer).setUint32(0, width)
  new DataView(size.buffer).setUint32(4, height)
  const sum = new Uint8Array(4)
  const { a, b } = strips.map(({ adler }) => adler).reduce(joinAdler)
  new DataView(sum.buffer).setUint32(0, ((b << 16) | a) >>> 0)
  return joined([
    signature,
    chunkOf('IHDR', joined([size, eightBitRgb])),
    chunkOf('IDAT', zlibHeader),
    ...strips.map(({ chunk }) => chunk),
    chunkOf('IDAT', joined([lastBlock, sum])),
    chunkOf('IEND', new Uint8Array()),
  ])
}

/** Converts pixels to rows of red, green and blue, each after a byte that says that the row is not filtered. */
function rowsOf(pixels: Uint8Array, width: number): Uint8Array {
  const height = pixels.length / (width * 4)
  const rows = new Uint8Array((width * 3 + 1) * height)
  let to = 0
  let from = 0
  for (let y = 0; y < height; y++) {
    to++
    for (let x = 0; x < width; x++) {
      rows[to] = pixels[from] ?? 0
      rows[to + 1] = pixels[from + 1] ?? 0
      rows[to + 2] = pixels[from + 2] ?? 0
      to += 3
      from += 4
    }
  }
  return rows
}

function chunkOf(type: string, data: Uint8Array): Uint8Array {
  const chunk = new Uint8Array(data.length + 12)
  const view = new DataView(chunk.buffer)
  view.setUint32(0, data.length)
  for (let at = 0; at < 4; at++) chunk[4 + at] = type.charCodeAt(at)
  chunk.set(data, 8)
  view.setUint32(data.length + 8, crc32(chunk.subarray(4, data.length + 8)))
  return chunk
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
