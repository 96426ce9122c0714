import { readSync } from 'node:fs'
import type { Frame } from '@sandglass/machines/contract'
import { offsetOf, type Place, type RawFrame, slotBytes, stripRows } from '../raw/raw-frame.ts'
import { drawPointer } from './draw-pointer.ts'

/** The strips of a raw frame in a file, read when they are needed. */
export class RawStrips {
  readonly frame: RawFrame
  readonly #descriptor: number
  readonly #rows: number
  readonly #pointer: Frame['pointer'] | undefined
  /** What was read already. */
  readonly #read = new Map<number, Uint8Array<ArrayBuffer>>()

  constructor(descriptor: number, frame: RawFrame) {
    const rows = stripRows(frame.width)
    if (!rows || frame.strips.length !== Math.ceil(frame.height / rows))
      throw new Error(`a frame of ${frame.width}x${frame.height} has ${frame.strips.length} strips`)
    this.frame = frame
    this.#descriptor = descriptor
    this.#rows = rows
    this.#pointer = frame.pointer && this.#pointerOf(frame.pointer)
  }

  /** Whether the pointer is in this strip, whose place then does not tell its content. */
  hasPointer(strip: number): boolean {
    if (!this.#pointer?.image) return false
    const top = Math.round(this.#pointer.y) - this.#pointer.image.hotspot.y
    return top < (strip + 1) * this.#rows && top + this.#pointer.image.height > strip * this.#rows
  }

  /** The pixels of a strip, with the pointer in it. The fourth byte of each is 255. */
  pixels(strip: number): Uint8Array<ArrayBuffer> {
    const known = this.#read.get(strip)
    if (known) return known
    const { width, height, strips } = this.frame
    const top = strip * this.#rows
    const rows = Math.min(this.#rows, height - top)
    const pixels = new Uint8Array(rows * width * 4)
    this.#readInto(pixels, [strips[strip] ?? 0])
    if (this.#pointer) {
      const pointer = { ...this.#pointer, y: Math.round(this.#pointer.y) - top }
      drawPointer({ width, height: rows, pixels, pointer })
    }
    const words = new Uint32Array(pixels.buffer)
    for (let at = 0; at < words.length; at++) words[at] = (words[at] ?? 0) | 0xff000000
    this.#read.set(strip, pixels)
    return pixels
  }

  /** The pixels of the whole frame. */
  whole(): Uint8Array<ArrayBuffer> {
    const { width, height, strips } = this.frame
    const pixels = new Uint8Array(width * height * 4)
    for (const strip of strips.keys()) pixels.set(this.pixels(strip), strip * this.#rows * width * 4)
    return pixels
  }

  #pointerOf({ x, y, width, height, hotspot, image }: NonNullable<RawFrame['pointer']>): Frame['pointer'] {
    const rgba = new Uint8Array(width * height * 4)
    this.#readInto(rgba, image)
    return { x, y, image: { width, height, hotspot, rgba } }
  }

  #readInto(bytes: Uint8Array, places: readonly Place[]): void {
    for (let start = 0, index = 0; start < bytes.length; start += slotBytes, index++) {
      const place = places[index]
      const part = bytes.subarray(start, start + slotBytes)
      const read = place === undefined ? 0 : readSync(this.#descriptor, part, 0, part.length, offsetOf(place))
      if (read !== part.length) throw new Error('the file of raw frames does not have the frame')
    }
  }
}
