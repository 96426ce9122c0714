import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeLossless, type OpaquePicture } from '@sandglass/wire/webp'
import fc from 'fast-check'
import sharp from 'sharp'
import { gradient, windows } from '../testing/frames.ts'

type ColourAt = (x: number, y: number) => number

/** Creates a picture from 24-bit colours. */
function paint(width: number, height: number, colourAt: ColourAt): OpaquePicture {
  const words = new Uint32Array(width * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) words[y * width + x] = (0xff000000 | colourAt(x, y)) >>> 0
  return { width, height, pixels: new Uint8Array(words.buffer) }
}

/** Returns pseudo-random colours: the same position always has the same colour. */
const hashed: ColourAt = (x, y) => {
  const mixed = Math.imul(Math.imul(x + 1, 0x9e3779b1) ^ Math.imul(y + 1, 0x85ebca77), 0xc2b2ae3d)
  return (mixed ^ (mixed >>> 15)) & 0xffffff
}

/** Asserts that libwebp decodes our file to exactly the same pixels. */
async function assertPreserved(picture: OpaquePicture): Promise<void> {
  const file = encodeLossless(picture)
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true })
  const { width, height, pixels } = picture
  assert.deepEqual([info.width, info.height, info.channels], [width, height, 3], `of ${width}x${height}`)
  const rgb = pixels.filter((_, at) => at % 4 !== 3)
  const wrong = data.findIndex((value, at) => value !== rgb[at])
  assert.equal(wrong, -1, `byte ${wrong} of ${width}x${height}`)
}

test('a real desktop is preserved, and is smaller than with the fastest mode of libwebp', async () => {
  const desktop = sharp(new URL('../../../../docs/desktop.png', import.meta.url).pathname)
  const { data, info } = await desktop.clone().ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  const picture = { width: info.width, height: info.height, pixels: new Uint8Array(data) }
  await assertPreserved(picture)
  const theirs = await desktop.webp({ lossless: true, quality: 30, effort: 0 }).toBuffer()
  assert.ok(encodeLossless(picture).length < theirs.length)
})

/** The same rows of noise are repeated once within the maximum distance of a copy, and once beyond it. */
const farRows = [0, 500, 1090]

const pictures: Readonly<Record<string, OpaquePicture>> = {
  'drawn windows': windows(640, 400),
  'a photo': gradient(320, 200),
  noise: paint(257, 129, hashed),
  'a smooth gradient': paint(300, 200, (x, y) => (x << 16) | ((y >> 1) << 8) | ((x + y) >> 2)),
  'one colour, in runs far over the longest copy': paint(500, 300, () => 0x336699),
  black: paint(40, 40, () => 0),
  'two colours': paint(200, 100, (x, y) => (hashed(x >> 3, y >> 4) & 1) * 0xffffff),
  'letters that repeat': paint(400, 300, (x, y) =>
    hashed(x % 9, y % 16) & 1 ? 0x202020 : hashed(x % 9, y % 16) & 2 ? 0x808080 : 0xffffff,
  ),
  'colours that share places in the cache': paint(256, 256, (x, y) => hashed(x & 63, y & 63) | 1),
  'counts that are very uneven': paint(512, 512, (x, y) => 1 << (Math.clz32(hashed(x, y) | 1) - 8)),
  'what repeats far away': paint(1000, 1100, (x, y) => {
    const from = farRows.find(row => y >= row && y < row + 4)
    return from === undefined ? 0xffffff : hashed(x, y - from)
  }),
}
for (const [name, picture] of Object.entries(pictures))
  test(`${name} is preserved`, () => assertPreserved(picture))

for (const colours of [2, 3, 16, 17, 255, 256, 257, 1024, 1025])
  test(`${colours} colours are preserved`, () =>
    assertPreserved(paint(64, 64, (x, y) => hashed((y * 64 + x) % colours, 0))))

test('every small size is preserved, drawn or not', async () => {
  for (let width = 1; width <= 9; width++)
    for (let height = 1; height <= 9; height++) {
      await assertPreserved(paint(width, height, hashed))
      await assertPreserved(paint(width, height, (x, y) => (x + y) % 2))
      await assertPreserved(paint(width, height, () => 0xffffff))
    }
})

/** sharp can read at most 16383 pixels per side. */
for (const [width, height] of [
  [16383, 1],
  [1, 16383],
  [16383, 21],
  [3, 16383],
  [17, 4097],
  [4096, 3],
] as const)
  test(`${width}x${height} is preserved`, async () => {
    await assertPreserved(paint(width, height, hashed))
    await assertPreserved(paint(width, height, (x, y) => ((x >> 6) ^ (y >> 4)) & 3))
  })

test('every drawn picture is preserved', async () => {
  const aRectangle = fc.record({
    x: fc.nat(90),
    y: fc.nat(90),
    width: fc.nat(90),
    height: fc.nat(90),
    kind: fc.constantFrom('flat', 'gradient', 'noise', 'pattern'),
    colour: fc.nat(0xffffff),
  })
  const aPicture = fc.record({
    width: fc.integer({ min: 1, max: 100 }),
    height: fc.integer({ min: 1, max: 100 }),
    rectangles: fc.array(aRectangle, { maxLength: 8 }),
  })
  const colourIn = ({ kind, colour }: { kind: string; colour: number }, x: number, y: number) => {
    if (kind === 'noise') return hashed(x, y)
    if (kind === 'pattern') return hashed(x % 7, y % 5)
    return kind === 'gradient' ? (colour + x * 0x010201 + (y >> 1)) & 0xffffff : colour
  }
  const property = fc.asyncProperty(aPicture, ({ width, height, rectangles }) =>
    assertPreserved(
      paint(width, height, (x, y) => {
        const top = rectangles.findLast(
          it => x >= it.x && x < it.x + it.width && y >= it.y && y < it.y + it.height,
        )
        return top ? colourIn(top, x, y) : 0
      }),
    ),
  )
  await fc.assert(property, { seed: 5, numRuns: 200 })
})
