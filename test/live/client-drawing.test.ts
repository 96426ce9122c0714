import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { encodePicture } from '@sandglass/wire/frames'
import sharp from 'sharp'
import { fill } from './support/fake-room.ts'
import { opened } from './support/opened.ts'
import { pixelOf } from './support/plain-page.ts'

test('the first frame is a hello with the room, the token and the name', async () => {
  const { viewer, page } = await opened()
  assert.deepEqual(viewer.said[0], {
    kind: 'hello',
    version: 1,
    room: 'a room',
    token: 'a token',
    name: 'Ada',
    video: true,
  })
  await page.close()
})

test('tiles are drawn exactly, and acknowledged', async () => {
  const { viewer, page } = await opened()
  viewer.tiles(640, 360, fill(0, 0, 640, 360, 10, 20, 30), fill(100, 50, 20, 20, 200, 100, 50))
  const area = { x: 300, y: 200, width: 20, height: 20 }
  viewer.tiles(640, 360, { op: 'copy', area, from: { x: 100, y: 50 } })
  await waitFor(async () => viewer.acknowledged === 2)
  assert.deepEqual(await pixelOf(page, 99, 50), [10, 20, 30])
  assert.deepEqual(await pixelOf(page, 100, 50), [200, 100, 50])
  assert.deepEqual(await pixelOf(page, 319, 219), [200, 100, 50])
  assert.deepEqual(await pixelOf(page, 320, 220), [10, 20, 30])
  await page.close()
})

test('images and tiles keep their order, and a copy includes what an image drew', async () => {
  const { viewer, page } = await opened()
  viewer.tiles(640, 360, fill(0, 0, 640, 360, 0, 0, 0))
  const create = { width: 100, height: 80, channels: 3 as const, background: { r: 0, g: 255, b: 0 } }
  const bytes = new Uint8Array(await sharp({ create }).png().toBuffer())
  const area = { x: 10, y: 10, width: 100, height: 80 }
  viewer.send(encodePicture({ type: 'image', sequence: viewer.next(), area, format: 'png', bytes }))
  viewer.tiles(640, 360, fill(20, 20, 10, 10, 255, 0, 0), {
    op: 'copy',
    area: { x: 400, y: 200, width: 60, height: 60 },
    from: { x: 15, y: 15 },
  })
  await waitFor(async () => viewer.acknowledged === 3)
  assert.deepEqual(await pixelOf(page, 11, 11), [0, 255, 0])
  assert.deepEqual(await pixelOf(page, 25, 25), [255, 0, 0])
  assert.deepEqual(await pixelOf(page, 401, 201), [0, 255, 0])
  assert.deepEqual(await pixelOf(page, 406, 206), [255, 0, 0])
  await page.close()
})

test('tiles next to an image that is still decoding are drawn immediately, those on it afterwards, and all are acknowledged in order', async () => {
  const { viewer, page } = await opened()
  await page.evaluate(() => {
    const plain = createImageBitmap
    Object.assign(window, {
      createImageBitmap: async (file: Blob) => {
        await new Promise<void>(resolve => Object.assign(window, { decodeNow: resolve }))
        return plain(file)
      },
    })
  })
  viewer.tiles(640, 360, fill(0, 0, 640, 360, 0, 0, 0))
  const create = { width: 100, height: 80, channels: 3 as const, background: { r: 0, g: 255, b: 0 } }
  const bytes = new Uint8Array(await sharp({ create }).png().toBuffer())
  const area = { x: 10, y: 10, width: 100, height: 80 }
  viewer.send(encodePicture({ type: 'image', sequence: viewer.next(), area, format: 'png', bytes }))
  viewer.tiles(640, 360, fill(20, 20, 10, 10, 255, 0, 0))
  viewer.tiles(640, 360, {
    op: 'copy',
    area: { x: 300, y: 300, width: 5, height: 5 },
    from: { x: 22, y: 22 },
  })
  viewer.tiles(640, 360, fill(400, 200, 10, 10, 0, 0, 255))
  await waitFor(async () => (await pixelOf(page, 405, 205)).join() === '0,0,255')
  assert.deepEqual(await pixelOf(page, 25, 25), [0, 0, 0])
  assert.equal(viewer.acknowledged, 1)
  await page.evaluate(() => Reflect.get(window, 'decodeNow')())
  await waitFor(async () => viewer.acknowledged === 5)
  assert.deepEqual(await pixelOf(page, 11, 11), [0, 255, 0])
  assert.deepEqual(await pixelOf(page, 25, 25), [255, 0, 0])
  assert.deepEqual(await pixelOf(page, 302, 302), [255, 0, 0])
  await page.close()
})

test('the screen fills the element, and follows its size', async () => {
  const { viewer, page } = await opened()
  viewer.tiles(640, 360, fill(0, 0, 640, 360, 1, 2, 3))
  await waitFor(async () => viewer.acknowledged === 1)
  for (const [width, height, shown] of [
    [1280, 720, 1280],
    [960, 900, 960],
    [2000, 360, 640],
  ] as const) {
    await page.setViewportSize({ width, height })
    await waitFor(async () => {
      const box = await page.locator('canvas').first().boundingBox()
      return Math.round(box?.width ?? 0) === shown && Math.round((box?.x ?? 0) * 2 + shown) === width
    })
  }
  viewer.tiles(800, 600, fill(0, 0, 800, 600, 4, 5, 6))
  await waitFor(async () => (await pixelOf(page, 799, 599)).join() === '4,5,6')
  await page.close()
})
