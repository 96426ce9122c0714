import type { ScreenSize } from '@sandglass/machines/contract'
import { encodeLossless } from '@sandglass/wire/webp'
import sharp, { type Sharp } from 'sharp'
import { isFlat } from './flatness.ts'
import type { PictureFormat } from './format.ts'

// A worker encodes one picture at a time on one thread; pictures beside each other come from workers beside each other.
sharp.concurrency(1)
// No two pictures share work, so that what it would keep is only memory.
sharp.cache(false)

/** Pixels as a worker hands them on: four bytes each, the fourth of them opaque. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array<ArrayBuffer>
}

/**
 * The choices, by milliseconds and size at 1280x720 on one x86-64 core of a busy machine (best of 8; a desktop | a page
 * of text | a gradient with noise, like a photo | pure noise):
 *
 *   PNG level 1, no filters          7 ms 294 K |    6 ms 305 K |   41 ms 2.8 M |   42 ms 2.8 M
 *   PNG level 6                     17 ms 147 K |   16 ms 257 K |   70 ms 2.4 M |   58 ms 2.6 M
 *   JPEG 90, 4:4:4, fixed tables      6 ms 86 K |    7 ms 262 K |    7 ms 253 K |   16 ms 1.6 M
 *   JPEG 90, 4:4:4, fitted tables    13 ms 72 K |   16 ms 239 K |   18 ms 232 K |   50 ms 1.4 M
 *   WebP lossless, effort 0, 30     38 ms 127 K |    24 ms 48 K |   78 ms 994 K |   64 ms 2.6 M
 *   WebP lossless, effort 0, 80     71 ms 120 K |    24 ms 45 K |  431 ms 994 K |   82 ms 2.6 M
 *   WebP lossless, effort 1        350 ms 108 K |     51 ms 9 K | 1426 ms 867 K |  315 ms 2.6 M
 *   WebP near-lossless 60           92 ms 120 K |    23 ms 46 K |  278 ms 994 K |   93 ms 2.6 M
 *   WebP 80, effort 0                19 ms 29 K |   36 ms 131 K |    39 ms 91 K |  114 ms 602 K
 *   WebP 90, effort 0                27 ms 35 K |   65 ms 150 K |   67 ms 198 K |  156 ms 764 K
 *
 * WebP is lossless for drawn screens, so that a model reads text as crisp as it is, and lossy for photos, where lossless
 * is twice as slow and ten times as large. JPEG keeps full colour resolution (4:4:4), without which coloured
 * text blurs; it is the fastest on every screen.
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
  // Memory that sharp made cannot be moved to another thread.
  return new Uint8Array(await encoders[format](image).toBuffer())
}

/** The same picture in another size. */
export async function scale(from: Pixels, { width, height }: ScreenSize): Promise<Pixels> {
  if (width === from.width && height === from.height) return from
  const raw = { width: from.width, height: from.height, channels: 4 } as const
  const scaled = await sharp(from.pixels, { raw }).resize(width, height, { fit: 'fill' }).raw().toBuffer()
  return { width, height, pixels: new Uint8Array(scaled) }
}

/** Makes one encoded picture into another format, with the pixels of the first. */
export async function remake(encoded: Uint8Array, format: PictureFormat): Promise<Uint8Array<ArrayBuffer>> {
  const { data, info } = await sharp(encoded).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return encodePixels({ width: info.width, height: info.height, pixels: new Uint8Array(data) }, format)
}
