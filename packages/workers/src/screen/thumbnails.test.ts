import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Sample } from '@sandglass/machines/contract'
import sharp from 'sharp'
import { Encoders } from '../encoding/encoders.ts'
import { PaintedScreen } from '../testing/painted-screen.ts'
import { Thumbnails } from './thumbnails.ts'

const encoders = new Encoders(error => assert.fail(error))
after(() => encoders.close())

/** A screen that counts how often it is sampled, and how many frames it has given. */
class SampledScreen {
  readonly #screen = new PaintedScreen(640, 400)
  #version = 1
  samples = 0
  frames = 0

  paint(colour: number): void {
    this.#version++
    this.#screen.fill({ x: 0, y: 0, width: 640, height: 400 }, () => colour)
  }

  async sample(known?: number): Promise<Sample> {
    this.samples++
    if (known === this.#version) return { version: known }
    this.frames++
    return { version: this.#version, frame: (await this.#screen.look()).frame }
  }
}

function newThumbnails() {
  const screen = new SampledScreen()
  screen.paint(0x336699)
  const clock = { nowMs: 0 }
  const thumbnails = new Thumbnails(
    () => screen,
    encoders,
    () => 'tenant',
    () => clock.nowMs,
  )
  return { screen, clock, thumbnails }
}

async function colourOf(body: Uint8Array | undefined): Promise<string> {
  assert.ok(body)
  const pixels = await sharp(body).removeAlpha().raw().toBuffer()
  return pixels.subarray(0, 3).toString('hex')
}

test('everybody who asks for the same width shares one picture, also one after the other', async () => {
  const { screen, thumbnails } = newThumbnails()
  const made = await Promise.all(Array.from({ length: 20 }, () => thumbnails.get(320)))
  const later = await thumbnails.get(320)
  assert.deepEqual(new Set([...made, later].map(({ tag }) => tag)).size, 1)
  assert.equal(screen.frames, 1)
  const { format, width, height } = await sharp(later.body).metadata()
  assert.deepEqual([format, width, height], ['webp', 320, 200])
  assert.equal(await colourOf(later.body), '336699')
})

test('a screen at rest is never encoded again, and the picture is not sent to those who have it', async () => {
  const { screen, clock, thumbnails } = newThumbnails()
  const { tag } = await thumbnails.get(320)
  for (let times = 0; times < 5; times++) {
    clock.nowMs += 1000
    assert.deepEqual(await thumbnails.get(320, tag), { tag })
  }
  // The screen was asked whether it had changed, but not for a frame.
  assert.deepEqual([screen.samples, screen.frames], [6, 1])
})

test('a change is shown, and a picture that looks the same has the same tag', async () => {
  const { screen, clock, thumbnails } = newThumbnails()
  const first = await thumbnails.get(320)
  screen.paint(0xff0000)
  clock.nowMs += 500
  const second = await thumbnails.get(320, first.tag)
  assert.equal(await colourOf(second.body), 'ff0000')
  assert.notEqual(second.tag, first.tag)
  screen.paint(0x336699)
  clock.nowMs += 500
  assert.deepEqual(await thumbnails.get(320, first.tag), { tag: first.tag })
  assert.equal(screen.frames, 3)
})

test('a screen that changes all the time is not encoded for every caller', async () => {
  const { screen, clock, thumbnails } = newThumbnails()
  for (let times = 0; times < 10; times++) {
    screen.paint(times)
    await thumbnails.get(320)
    clock.nowMs += 60
  }
  assert.equal(screen.frames, 2)
})

test('each width has its own picture, and only the latest widths are kept', async () => {
  const { screen, thumbnails } = newThumbnails()
  for (const width of [64, 100, 200, 300, 400]) await thumbnails.get(width)
  assert.equal(screen.frames, 5)
  await thumbnails.get(400)
  assert.equal(screen.frames, 5)
  const { body } = await thumbnails.get(64)
  assert.equal(screen.frames, 6)
  assert.equal((await sharp(body).metadata()).width, 64)
})

test('a screen that fails is asked again', async () => {
  const { screen } = newThumbnails()
  let failures = 1
  const failing = {
    sample: (known?: number) => (failures-- > 0 ? Promise.reject(new Error('lost')) : screen.sample(known)),
  }
  const thumbnails = new Thumbnails(
    () => failing,
    encoders,
    () => 'tenant',
  )
  await assert.rejects(thumbnails.get(320), /lost/)
  assert.ok((await thumbnails.get(320)).body)
})
