import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import fc from 'fast-check'
import sharp from 'sharp'
import type { CaptureChoice } from '../contract/index.ts'
import { RawDeveloper } from '../encoding/develop-raw.ts'
import { PaintedScreen } from '../testing/painted-screen.ts'
import { LatestFrame } from './latest-frame.ts'
import { RawFile } from './raw-file.ts'
import { placesOf, type RawFrame, slotBytes } from './raw-frame.ts'

const folder = mkdtempSync(join(tmpdir(), 'sandglass-raw-'))
after(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function newFile(slots?: number) {
  const path = join(folder, String(++files))
  const descriptor = openSync(path, 'wx+', 0o600)
  after(() => closeSync(descriptor))
  return { path, file: new RawFile(descriptor, slots === undefined ? {} : { slots }) }
}

const png: CaptureChoice = { format: 'png', pointer: true }

async function take(latest: LatestFrame, choice = png): Promise<RawFrame> {
  const raw = await latest.look(({ frame }) => latest.write(frame, choice))
  assert.ok(raw)
  return raw
}

async function coloursOf(encoded: Uint8Array): Promise<Buffer> {
  return sharp(encoded).removeAlpha().raw().toBuffer()
}

const noise = (seed: number) => (x: number, y: number) =>
  (Math.imul(x * 7919 + y * 104_729 + seed, 0x9e3779b1) >>> 8) & 0xffffff

test('frames are encoded later, in any order, with the pixels that the screen had when each was taken', async () => {
  const aChange = fc.record({
    x: fc.nat(299),
    y: fc.nat(999),
    width: fc.integer({ min: 1, max: 300 }),
    height: fc.integer({ min: 1, max: 400 }),
    colour: fc.nat(0xffffff),
    isNoise: fc.boolean(),
    moves: fc.boolean(),
  })
  const property = fc.asyncProperty(
    fc.record({
      width: fc.integer({ min: 1, max: 300 }),
      height: fc.integer({ min: 1, max: 500 }),
      changes: fc.array(aChange, { minLength: 1, maxLength: 12 }),
      order: fc.infiniteStream(fc.nat()),
    }),
    async ({ width, height, changes, order }) => {
      const { file } = newFile()
      const screen = new PaintedScreen(width, height)
      const latest = new LatestFrame(screen, file)
      const developer = new RawDeveloper()
      const waiting: { readonly raw: RawFrame; readonly expected: Buffer }[] = []
      const image = { width: 2, height: 2, hotspot: { x: 1, y: 1 }, rgba: new Uint8Array(16).fill(255) }
      for (const { x, y, colour, isNoise, moves, ...size } of changes) {
        screen.fill({ x: x % width, y: y % height, ...size }, isNoise ? noise(colour) : () => colour)
        if (moves) screen.pointer = { x, y, image }
        const expected = screen.colours
        const { pointer } = screen
        if (pointer.image)
          for (const [px, py] of corners(pointer))
            if (px >= 0 && py >= 0 && px < width && py < height)
              expected.fill(255, (py * width + px) * 3, (py * width + px) * 3 + 3)
        waiting.push({ raw: await take(latest), expected })
      }
      const shuffled = waiting.map(each => ({ each, at: order.next().value })).sort((a, b) => a.at - b.at)
      for (const { each } of shuffled) {
        const { body } = await developer.develop(file.descriptor, each.raw)
        assert.ok((await coloursOf(body)).equals(each.expected))
      }
    },
  )
  await fc.assert(property, { seed: 17, numRuns: 25 })
})

function corners({
  x,
  y,
}: {
  readonly x: number
  readonly y: number
}): readonly (readonly [number, number])[] {
  return [
    [x - 1, y - 1],
    [x, y - 1],
    [x - 1, y],
    [x, y],
  ]
}

for (const format of ['webp', 'jpeg', 'png'] as const)
  test(`a ${format} of a screen that changed a little looks like the screen`, async () => {
    const { file } = newFile()
    const screen = new PaintedScreen(640, 480)
    const latest = new LatestFrame(screen, file)
    const developer = new RawDeveloper()
    for (let round = 0; round < 6; round++) {
      screen.fill({ x: round * 50, y: round * 60, width: 40, height: 30 }, () => 0x3060c0 + round * 40)
      const raw = await take(latest, { format, pointer: false })
      const { body } = await developer.develop(file.descriptor, raw)
      assert.equal((await sharp(body).metadata()).format, format)
      const [shown, expected] = [await coloursOf(body), screen.colours]
      assert.equal(shown.length, expected.length)
      const difference = shown.reduce((sum, value, at) => sum + Math.abs(value - (expected[at] ?? 0)), 0)
      assert.ok(difference / shown.length < (format === 'jpeg' ? 2 : 1e-9), `${difference / shown.length}`)
    }
  })

test('equal pixels have the same hash, however they came about, and a changed pixel or size has another', async () => {
  const { file } = newFile()
  const [one, other] = [new PaintedScreen(200, 300), new PaintedScreen(200, 300)]
  const [latest, latestOfOther] = [new LatestFrame(one, file), new LatestFrame(other, file)]
  const whole = { x: 0, y: 0, width: 200, height: 300 }
  one.fill(whole, noise(1))
  await take(latest)
  one.fill({ x: 10, y: 10, width: 5, height: 5 }, () => 0xff)
  other.fill(whole, noise(1))
  other.fill({ x: 10, y: 10, width: 5, height: 5 }, () => 0xff)
  const hash = async (raw: RawFrame) => (await new RawDeveloper().develop(file.descriptor, raw)).hash
  const first = await hash(await take(latest))
  assert.equal(await hash(await take(latestOfOther)), first)
  assert.notEqual(await hash(await take(latest, { ...png, longestSide: 100 })), first)
  one.fill({ x: 199, y: 299, width: 1, height: 1 }, () => 0x123456)
  assert.notEqual(await hash(await take(latest)), first)
})

test('a frame of a screen that changed a little adds little to the file', async () => {
  const { path, file } = newFile()
  const screen = new PaintedScreen(1280, 720)
  const latest = new LatestFrame(screen, file)
  await take(latest)
  const before = statSync(path).blocks
  for (let round = 0; round < 10; round++) {
    screen.fill({ x: 100, y: 100, width: 8, height: 16 }, () => round)
    await take(latest)
  }
  assert.ok((statSync(path).blocks - before) * 512 <= 10 * 2 * slotBytes)
})

test('released frames make space for others, and those that are held are never overwritten', async () => {
  const { file } = newFile(16)
  const screen = new PaintedScreen(1280, 100)
  const latest = new LatestFrame(screen, file)
  const whole = { x: 0, y: 0, width: 1280, height: 100 }
  screen.fill(whole, noise(0))
  const held = await take(latest)
  const expected = screen.colours
  for (let round = 1; round < 50; round++) {
    screen.fill(whole, noise(round))
    file.release(placesOf(await take(latest)))
    assert.ok(file.fill <= 1)
  }
  const { body } = await new RawDeveloper().develop(file.descriptor, held)
  assert.ok((await coloursOf(body)).equals(expected))
})

test('when the file is full, no frame is written until one is released', async () => {
  const { path, file } = newFile(12)
  const screen = new PaintedScreen(1280, 100)
  const latest = new LatestFrame(screen, file)
  const tryToTake = (seed: number) => {
    screen.fill({ x: 0, y: 0, width: 1280, height: 100 }, noise(seed))
    return latest.look(({ frame }) => latest.write(frame, png))
  }
  const [first, second] = [await tryToTake(1), await tryToTake(2)]
  assert.ok(first && second)
  assert.equal(await tryToTake(3), undefined)
  assert.ok(statSync(path).size <= 12 * slotBytes)
  file.release(placesOf(first))
  const expected = screen.colours
  const third = await tryToTake(3)
  assert.ok(third)
  const { body } = await new RawDeveloper().develop(file.descriptor, third)
  assert.ok((await coloursOf(body)).equals(expected))
})

test('a frame that a file does not have is refused', async () => {
  const { file } = newFile()
  const raw = await take(new LatestFrame(new PaintedScreen(100, 100), file))
  const develop = (frame: RawFrame) => new RawDeveloper().develop(file.descriptor, frame)
  await assert.rejects(develop({ ...raw, strips: [4000] }), /does not have the frame/)
  await assert.rejects(develop({ ...raw, strips: [] }), /0 strips/)
  await assert.rejects(develop({ ...raw, width: 16_000 }), /strips/)
})
