import sharp, { type Sharp } from 'sharp'
import { isFlat } from './flatness.ts'
import { type PictureFormat, pictureFormats } from './format.ts'

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
 * The choices, by milliseconds and size at 1280x720 on one x86-64 core (best of 6; a desktop | a page of text | a
 * gradient with noise | pure noise):
 *
 *   PNG level 1, no filters           7 ms 293 K |  6 ms 305 K |  43 ms 2.8 M |  50 ms 2.8 M
 *   PNG level 6                      25 ms 147 K | 21 ms 256 K |  73 ms 2.5 M
 *   JPEG 90, 4:4:4, fixed tables      6 ms  86 K | 10 ms 261 K |  10 ms 253 K |  24 ms 1.7 M
 *   JPEG 90, 4:4:4, fitted tables    21 ms  72 K | 25 ms 238 K |  23 ms 232 K |  66 ms 1.5 M
 *   WebP lossless effort 0, 30       42 ms 126 K | 32 ms  47 K |  80 ms 1.0 M |  61 ms 2.7 M
 *   WebP lossless effort 0, 80       87 ms 119 K | 39 ms  44 K | 449 ms 1.0 M |  79 ms 2.7 M
 *   WebP lossless effort 1          360 ms 108 K | 57 ms   8 K | 888 ms 0.9 M
 *   WebP near-lossless 60            67 ms 120 K | 27 ms  46 K | 167 ms 1.0 M |  74 ms 2.7 M
 *   WebP 80 effort 0                 19 ms  28 K | 33 ms 131 K |  30 ms  90 K |  94 ms 0.6 M
 *   WebP 90 effort 0                 26 ms  34 K | 46 ms 150 K |  66 ms 198 K | 154 ms 0.8 M
 *
 * WebP is lossless for drawn screens, so that a model reads text as crisp as it is, and lossy for photos, where lossless
 * is more than twice as slow and ten times as large. JPEG keeps full colour resolution (4:4:4), without which coloured
 * text blurs; it is the fastest on every screen.
 */
const encoders: Readonly<Record<PictureFormat, (image: Sharp, flat: () => boolean) => Sharp>> = {
  webp: (image, flat) =>
    flat() ? image.webp({ lossless: true, quality: 30, effort: 0 }) : image.webp({ quality: 80, effort: 0 }),
  png: image => image.png({ compressionLevel: 1, adaptiveFiltering: false }),
  jpeg: image => image.jpeg({ quality: 90, chromaSubsampling: '4:4:4', optimiseCoding: false }),
}

export function encodePixels({ width, height, pixels }: Pixels, format: PictureFormat): Promise<Buffer> {
  const image = sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha()
  return encoders[format](image, () => isFlat(pixels, width)).toBuffer()
}

/** Makes one encoded picture into another format, with the pixels of the first. */
export async function remake(encoded: Uint8Array, format: PictureFormat): Promise<Buffer> {
  const { data, info } = await sharp(encoded).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return encodePixels({ width: info.width, height: info.height, pixels: new Uint8Array(data) }, format)
}

/** Loads what the first picture of each format would have to load. */
export async function warmUp(): Promise<void> {
  const pixels = new Uint8Array(16 * 16 * 4)
  for (const format of pictureFormats) await encodePixels({ width: 16, height: 16, pixels }, format)
}
