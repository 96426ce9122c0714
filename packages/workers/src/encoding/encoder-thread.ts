import type { Frame } from '@sandglass/machines/contract'
import { transferableSymbol, valueSymbol } from 'piscina'
import type { PictureFormat } from '../contract/picture-format.ts'
import type { RawFrame } from '../raw/raw-frame.ts'
import { RawDeveloper } from './develop-raw.ts'
import { drawPointer } from './draw-pointer.ts'
import { encodePixels, type Pixels, remake, scale } from './encode.ts'
import { fitted } from './fitted.ts'
import { shrink } from './shrink.ts'
import { digestsOf, hashOf } from './strip-digest.ts'
import { warmUp } from './warm-up.ts'
import { yieldProcessor } from './yield-processor.ts'

/** The code that runs in worker threads. Pixels and pictures are transferred between threads, never copied. */
await warmUp()
yieldProcessor()

/** An encoded picture, with the hash of its pixels and their memory, which can be reused. */
export interface Developed extends Encoded {
  readonly hash: string
  readonly pixels: Uint8Array<ArrayBuffer>
}

export interface Encoded {
  readonly body: Uint8Array<ArrayBuffer>
  readonly seconds: number
}

/** A frame, and the descriptor of the file that has its pixels. */
export interface RawTask {
  readonly descriptor: number
  readonly frame: RawFrame
}

export type DevelopedRaw = Omit<Developed, 'pixels'>

export interface DevelopChoice {
  readonly format: PictureFormat
  readonly longestSide?: number | undefined
}

/** Draws the pointer if the frame has an image of it, scales the result if requested, and encodes it. */
export async function develop({ format, longestSide, ...frame }: Frame & DevelopChoice): Promise<Developed> {
  const { width, height, pixels } = frame
  if (pixels.length !== width * height * 4)
    throw new Error(`a frame of ${width}x${height} has ${pixels.length} bytes`)
  drawPointer(frame)
  for (let at = 3; at < pixels.length; at += 4) pixels[at] = 255
  const shown = await scale(frame, fitted(frame, longestSide))
  const hash = hashOf(shown, digestsOf(frame))
  const encoded = await timed(() => encodePixels(shown, format))
  return moved({ ...encoded, hash, pixels }, encoded.body.buffer, pixels.buffer)
}

const raw = new RawDeveloper()

/** Encodes a frame that waits in a file. */
export async function developRaw({ descriptor, frame }: RawTask): Promise<DevelopedRaw> {
  const start = performance.now()
  const { body, hash } = await raw.develop(descriptor, frame)
  return moved({ body, hash, seconds: (performance.now() - start) / 1000 }, body.buffer)
}

export interface SmallTask {
  readonly frame: Pixels
  readonly width: number
}

/** A small picture, and the memory of the frame, which can be reused. */
export interface Small {
  readonly body: Uint8Array<ArrayBuffer>
  readonly pixels: Uint8Array<ArrayBuffer>
}

export async function developSmall({ frame, width }: SmallTask): Promise<Small> {
  const body = await encodePixels(shrink(frame, width), 'webp')
  return moved({ body, pixels: frame.pixels }, body.buffer, frame.pixels.buffer)
}

export async function transcode({ body, to }: { body: Uint8Array; to: PictureFormat }): Promise<Encoded> {
  const encoded = await timed(() => remake(body, to))
  return moved(encoded, encoded.body.buffer)
}

async function timed(work: () => Promise<Uint8Array<ArrayBuffer>>): Promise<Encoded> {
  const start = performance.now()
  const body = await work()
  return { body, seconds: (performance.now() - start) / 1000 }
}

/** Makes the pool transfer the memory of a result instead of copying it. The receiving side unwraps the value. */
function moved<T extends object>(value: T, ...memory: ArrayBufferLike[]): T {
  return Object.assign(value, { [transferableSymbol]: memory, [valueSymbol]: value })
}
