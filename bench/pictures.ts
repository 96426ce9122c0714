import { readFile } from 'node:fs/promises'
import { encodeLossless, type OpaquePicture } from '@sandglass/wire/webp'
import sharp from 'sharp'
import { drawnPhone, drawnText } from './drawings.ts'
import { type Row, row } from './row.ts'
import { timed } from './timed.ts'

const warmUps = 10
const rounds = 20

/**
 * Lossless WebP of drawn screens, compared with libwebp's fastest setting on one thread: the best of several
 * alternating rounds.
 */
export default async function bench(): Promise<Row[]> {
  sharp.concurrency(1)
  const desktop = await readFile(new URL('../docs/desktop.png', import.meta.url))
  const screens: Readonly<Record<string, Buffer>> = {
    'a desktop': desktop,
    'a page of text': Buffer.from(drawnText()),
    'a phone': Buffer.from(drawnPhone()),
  }
  const rows: Row[] = []
  for (const [name, drawing] of Object.entries(screens)) rows.push(...(await beside(name, drawing)))
  return rows
}

async function beside(name: string, drawing: Buffer): Promise<Row[]> {
  const { data, info } = await sharp(drawing).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const picture = { width: info.width, height: info.height, pixels: new Uint8Array(data) }
  const best = { ours: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY }
  for (let round = -warmUps; round < rounds; round++) {
    const theirs = await timed(() => byLibwebp(picture))
    const ours = await timed(async () => encodeLossless(picture))
    if (round < 0) continue
    best.ours = Math.min(best.ours, ours)
    best.theirs = Math.min(best.theirs, theirs)
  }
  const sizes = [encodeLossless(picture).length / 1024, (await byLibwebp(picture)).length / 1024] as const
  return [
    row(`pictures: lossless WebP of ${name}, beside libwebp's quickest`, 'ms', best.ours, best.theirs),
    row(`pictures: size of ${name}, beside libwebp's quickest`, 'KiB', ...sizes),
  ]
}

function byLibwebp({ width, height, pixels }: OpaquePicture): Promise<Buffer> {
  const image = sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha()
  return image.webp({ lossless: true, quality: 30, effort: 0 }).toBuffer()
}
