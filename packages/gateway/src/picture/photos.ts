import type { Area } from '@sandglass/wire/frames'
import sharp, { type Sharp } from 'sharp'
import type { Drawing } from './drawing.ts'
import { copyOf, type Pixels } from './pixels.ts'

/** Encodes an approximation quickly. */
export function roughPhoto(pixels: Pixels, area: Area): Promise<Drawing> {
  return photo(pixels, area, 'jpeg', image => image.jpeg({ quality: 80 }))
}

/** Encodes the exact pixels, in fewer bytes than tiles would take. */
export function exactPhoto(pixels: Pixels, area: Area): Promise<Drawing> {
  return photo(pixels, area, 'webp', image => image.webp({ lossless: true, effort: 0 }))
}

/** Copies the pixels before it returns; sharp then works in its own threads. */
async function photo(
  pixels: Pixels,
  area: Area,
  format: 'jpeg' | 'webp',
  encode: (image: Sharp) => Sharp,
): Promise<Drawing> {
  const raw = { width: area.width, height: area.height, channels: 4 } as const
  const image = sharp(copyOf(pixels, area), { raw }).removeAlpha()
  return { type: 'image', area, format, bytes: await encode(image).toBuffer() }
}
