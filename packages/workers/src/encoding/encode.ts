import type { ScreenSize } from '@sandglass/machines/contract'
import { encodeLossless } from '@sandglass/wire/webp'
import sharp, { type Sharp } from 'sharp'
import type { PictureFormat } from '../contract/picture-format.ts'
import { isFlat } from './flatness.ts'

// A worker encodes one picture at a time on one thread. Several pictures are encoded at once by several workers.
sharp.concurrency(1)
// Pictures have no work in common, so a cache would only take memory.
sharp.cache(false)

/** The pixels of a picture, with four bytes each. The fourth byte is always 255. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array<ArrayBuffer>
}

/**
 * Measurements behind these choices: milliseconds and size at 1280x720 on one x86-64 core of a busy machine (best of
 * 8; a desktop | a page of text | a gradient with noise, like a photo | pure noise):
 *
 *   PNG level 1, no filters         8 ms 301 K |    7 ms 230 K |   37 ms 2.8 M |   40 ms 2.9 M
 *   PNG level 6                    17 ms 151 K |   13 ms 160 K |   61 ms 2.4 M |   57 ms 2.8 M
 *   JPEG 90, 4:4:4, fixed tables     7 ms 88 K |    8 ms 313 K |    8 ms 199 K |   17 ms 1.7 M
 *   JPEG 90, 4:4:4, fitted tables   13 ms 74 K |   17 ms 288 K |   15 ms 185 K |   49 ms 1.5 M
 *   WebP lossless, our own         14 ms 102 K |     8 ms 49 K |   35 ms 402 K |   59 ms 2.8 M
 *   WebP lossless, effort 0, 30    38 ms 130 K |    26 ms 46 K |   84 ms 501 K |   58 ms 2.8 M
 *   WebP lossless, effort 0, 80    65 ms 122 K |    35 ms 41 K |  236 ms 461 K |   80 ms 2.8 M
 *   WebP lossless, effort 1       322 ms 111 K |    70 ms 32 K |  496 ms 300 K |  201 ms 2.8 M
 *   WebP near-lossless 60          56 ms 123 K |    30 ms 42 K |  200 ms 468 K |   61 ms 2.8 M
 *   WebP 80, effort 0                18 ms 30 K |  37 ms 205 K |    18 ms 29 K |   84 ms 619 K
 *   WebP 90, effort 0                24 ms 36 K |  45 ms 230 K |   33 ms 107 K |  103 ms 778 K
 *
 * WebP is lossless for drawn screens, so that text stays crisp for a model, and lossy for photos, where lossless is
 * twice as slow and ten times as large. Drawn screens use our own encoder (`@sandglass/wire/webp`), because libwebp has
 * no lossless mode that is as fast. JPEG keeps full colour resolution (4:4:4), because coloured text would blur
 * otherwise. It is about the fastest format for every screen.
 */
const encoders: Readonly<Record<PictureFormat, (image: Sharp) => Sharp>> = {
  webp: image => image.webp({ quality: 80, effort: 0 }),
  png: image => image.png({ compressionLevel: 1, adaptiveFiltering: false }),
  jpeg: image => image.jpeg({ quality: 90, chromaSubsampling: '4:4:4', optimiseCoding: false }),
}

export async function encodePixels(picture: Pixels, format: PictureFormat): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height, pixels } = picture
  if (format === 'webp' && isFlat(pixels, width)) return encodeLossless(picture)
  const image = sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha()
  // Copy the result, because memory that sharp allocated cannot be transferred to another thread.
  return new Uint8Array(await encoders[format](image).toBuffer())
}

/** Scales a picture to another size. */
export async function scale(from: Pixels, { width, height }: ScreenSize): Promise<Pixels> {
  if (width === from.width && height === from.height) return from
  const raw = { width: from.width, height: from.height, channels: 4 } as const
  const scaled = await sharp(from.pixels, { raw }).resize(width, height, { fit: 'fill' }).raw().toBuffer()
  return { width, height, pixels: new Uint8Array(scaled) }
}

/** Converts an encoded picture to another format, with the pixels of the first. */
export async function remake(encoded: Uint8Array, format: PictureFormat): Promise<Uint8Array<ArrayBuffer>> {
  const { data, info } = await sharp(encoded).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return encodePixels({ width: info.width, height: info.height, pixels: new Uint8Array(data) }, format)
}
