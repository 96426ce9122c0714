import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { waitFor } from '@sandglass/machines/testing'
import type { InputFrame } from '@sandglass/wire/frames'
import { encodeCursor } from '@sandglass/wire/frames'
import { openedWithPicture } from './support/opened.ts'

const withoutLease = ({ lease: _, ...rest }: InputFrame) => rest

test('the mouse maps to the pixel below it at any scale', async () => {
  const { viewer, page } = await openedWithPicture()
  await page.mouse.move(100, 50)
  await page.mouse.down()
  await page.mouse.move(120, 60)
  await page.mouse.up()
  await page.setViewportSize({ width: 320, height: 400 })
  // Now at half size, with 110 free pixels above.
  await waitFor(async () => (await page.locator('canvas').first().boundingBox())?.y === 110)
  await page.mouse.move(10, 120)
  await page.mouse.down({ button: 'right' })
  await page.mouse.up({ button: 'right' })
  await waitFor(async () => viewer.inputs.length === 7)
  assert.deepEqual(viewer.inputs.map(withoutLease), [
    { type: 'pointer', x: 100, y: 50, buttons: 0 },
    { type: 'pointer', x: 100, y: 50, buttons: 1 },
    { type: 'pointer', x: 120, y: 60, buttons: 1 },
    { type: 'pointer', x: 120, y: 60, buttons: 0 },
    { type: 'pointer', x: 20, y: 20, buttons: 0 },
    { type: 'pointer', x: 20, y: 20, buttons: 2 },
    { type: 'pointer', x: 20, y: 20, buttons: 0 },
  ])
  await page.close()
})

test('the wheel turns in notches', async () => {
  const { viewer, page } = await openedWithPicture()
  await page.mouse.move(30, 40)
  await page.mouse.wheel(0, 100)
  await page.mouse.wheel(-50, 0)
  await waitFor(async () => viewer.inputs.length === 3)
  assert.deepEqual(viewer.inputs.slice(1).map(withoutLease), [
    { type: 'wheel', x: 30, y: 40, deltaX: 0, deltaY: 120 },
    { type: 'wheel', x: 30, y: 40, deltaX: -60, deltaY: 0 },
  ])
  await page.close()
})

test('one finger taps and drags, a long press is the right button, and two fingers scroll without clicking', async () => {
  const { viewer, page } = await openedWithPicture()
  const devtools = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: [number, number][]) =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: points.map(([x, y], id) => ({ x, y, id })),
    })
  const next = async (count: number) => {
    await waitFor(async () => viewer.inputs.length >= count)
    return viewer.inputs.splice(0).map(withoutLease)
  }
  // The test controls how long a finger rests, however long dispatching takes.
  await page.clock.install()
  await page.clock.pauseAt(Date.now() + 60_000)
  await touch('touchStart', [50, 60])
  await touch('touchEnd')
  assert.deepEqual(await next(2), [
    { type: 'touch', finger: 0, phase: 'start', x: 50, y: 60 },
    { type: 'touch', finger: 0, phase: 'end', x: 50, y: 60 },
  ])
  await touch('touchStart', [50, 60])
  await touch('touchMove', [90, 60])
  await touch('touchEnd')
  assert.deepEqual(await next(3), [
    { type: 'touch', finger: 0, phase: 'start', x: 50, y: 60 },
    { type: 'touch', finger: 0, phase: 'move', x: 90, y: 60 },
    { type: 'touch', finger: 0, phase: 'end', x: 90, y: 60 },
  ])
  await touch('touchStart', [200, 100])
  await page.clock.runFor(500)
  assert.deepEqual(await next(3), [
    { type: 'pointer', x: 200, y: 100, buttons: 0 },
    { type: 'pointer', x: 200, y: 100, buttons: 2 },
    { type: 'pointer', x: 200, y: 100, buttons: 0 },
  ])
  await touch('touchEnd')
  await touch('touchStart', [100, 200])
  await touch('touchStart', [100, 200], [140, 200])
  await touch('touchMove', [100, 160], [140, 160])
  await touch('touchEnd')
  const scrolled = await next(2)
  assert.ok(scrolled.every(({ type }) => type === 'wheel'))
  assert.equal(
    scrolled.reduce((sum, move) => sum + (move.type === 'wheel' ? move.deltaY : 0), 0),
    120,
  )
  await page.close()
})

test('with control the pointer of the machine replaces the local one, and without control it is drawn into the picture', async () => {
  const { viewer, page } = await openedWithPicture()
  const deflate = (bytes: Uint8Array) => new Uint8Array(deflateRawSync(bytes))
  const rgba = new Uint8Array(4 * 16 * 16).fill(255)
  viewer.send(encodeCursor({ type: 'shape', width: 16, height: 16, hotX: 3, hotY: 4, rgba }, deflate))
  const cursor = () =>
    page
      .locator('canvas')
      .first()
      .evaluate(canvas => canvas.style.cursor)
  await waitFor(async () => /^url\("data:image\/png.*"\) 3 4, default$/.test(await cursor()))
  assert.ok(await page.locator('canvas').nth(1).isHidden())
  viewer.lease(8, { kind: 'agent' })
  viewer.send(encodeCursor({ type: 'position', x: 103, y: 54 }, deflate))
  await waitFor(async () => page.locator('canvas').nth(1).isVisible())
  assert.deepEqual(await page.locator('canvas').nth(1).boundingBox(), {
    x: 100,
    y: 50,
    width: 16,
    height: 16,
  })
  viewer.send(encodeCursor({ type: 'hidden' }, deflate))
  await waitFor(async () => page.locator('canvas').nth(1).isHidden())
  await page.close()
})

test('the pointer of the agent stays in its place when the window is resized', async () => {
  const { viewer, page } = await openedWithPicture({ isHolder: false })
  const deflate = (bytes: Uint8Array) => new Uint8Array(deflateRawSync(bytes))
  const rgba = new Uint8Array(4 * 16 * 16).fill(255)
  viewer.send(encodeCursor({ type: 'shape', width: 16, height: 16, hotX: 0, hotY: 0, rgba }, deflate))
  viewer.send(encodeCursor({ type: 'position', x: 200, y: 100 }, deflate))
  const pointer = () => page.locator('canvas').nth(1).boundingBox()
  await waitFor(async () => (await pointer())?.x === 200)
  await page.setViewportSize({ width: 320, height: 400 })
  // At half size, with 110 free pixels above.
  await waitFor(async () => (await page.locator('canvas').first().boundingBox())?.y === 110)
  assert.deepEqual(await pointer(), { x: 100, y: 160, width: 8, height: 8 })
  await page.close()
})
