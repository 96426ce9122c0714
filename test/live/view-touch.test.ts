import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { openBrowser } from '../support/browser.ts'
import { browser as desktop } from './support/opened.ts'
import { openViewInRoom, serveView } from './support/served-view.ts'

const url = await serveView()
const phone = await openBrowser({
  hasTouch: true,
  isMobile: true,
  viewport: { width: 390, height: 780 },
})
const { page, view, viewer } = await openViewInRoom(phone, url)
after(() => page.close())
const devtools = await phone.newCDPSession(page)

const [control, c, esc, left] = [0xffe3, 0x63, 0xff1b, 0xff51]

const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...points: [number, number][]) =>
  devtools.send('Input.dispatchTouchEvent', {
    type,
    touchPoints: points.map(([x, y], id) => ({ x, y, id })),
  })

async function picture(): Promise<{ x: number; y: number; width: number; height: number }> {
  return (await view.locator('canvas').first().boundingBox()) ?? assert.fail()
}

test('a touch screen has the keys that its keyboard lacks', async () => {
  await view.getByRole('button', { name: 'Ctrl' }).tap()
  await view.getByRole('button', { name: 'Ctrl', pressed: true }).waitFor()
  await page.keyboard.insertText('C')
  await view.getByRole('button', { name: 'Ctrl', pressed: false }).waitFor()
  await view.getByRole('button', { name: 'Escape' }).tap()
  await view.getByRole('button', { name: 'Left' }).tap()
  await waitFor(async () => viewer.keys.length >= 8)
  assert.deepEqual(viewer.keys, [control, c, -c, -control, esc, -esc, left, -left])
  assert.equal(await view.evaluate(() => document.activeElement?.tagName), 'TEXTAREA')
  await view.getByRole('button', { name: 'Show the keyboard' }).waitFor()
})

test('the keys are only there on touch screens', async () => {
  const { page, view } = await openViewInRoom(desktop, url)
  await view.getByText('You are in control').waitFor()
  assert.ok(await view.getByRole('button', { name: 'Ctrl' }).isHidden())
  assert.ok(await view.getByRole('button', { name: 'Show the keyboard' }).isHidden())
  await page.close()
})

test('two fingers zoom and move the picture, and taps still arrive where they are', async () => {
  viewer.inputs.splice(0)
  const before = await picture()
  const middle = { x: before.x + before.width / 2, y: before.y + before.height / 2 }
  await touch('touchStart', [middle.x - 40, middle.y])
  await touch('touchStart', [middle.x - 40, middle.y], [middle.x + 40, middle.y])
  await touch('touchMove', [middle.x - 80, middle.y], [middle.x + 80, middle.y])
  await touch('touchMove', [middle.x - 120, middle.y], [middle.x + 120, middle.y])
  await touch('touchEnd')
  await waitFor(async () => Math.abs((await picture()).width / before.width - 3) < 0.05)
  const zoomed = await picture()
  assert.ok(Math.abs(zoomed.x + zoomed.width / 2 - middle.x) < 2, 'the middle of the fingers stays in place')
  await touch('touchStart', [middle.x - 20, middle.y])
  await touch('touchStart', [middle.x - 20, middle.y], [middle.x + 20, middle.y])
  await touch('touchMove', [middle.x + 30, middle.y], [middle.x + 70, middle.y])
  await touch('touchEnd')
  await waitFor(async () => Math.abs((await picture()).x - zoomed.x - 50) < 2)
  assert.equal(viewer.inputs.length, 0, 'the machine gets nothing of it')
  await page.touchscreen.tap(middle.x, middle.y)
  await waitFor(async () => viewer.inputs.length >= 2)
  const now = await picture()
  const expected = ((middle.x - now.x) / now.width) * 640
  const tapped = viewer.inputs.at(0)
  assert.ok(tapped?.type === 'touch' && Math.abs(tapped.x - expected) <= 1, JSON.stringify(tapped))
  await view.getByRole('button', { name: 'Whole screen' }).tap()
  await waitFor(async () => Math.abs((await picture()).width - before.width) < 1)
})

test('who only watches moves the enlarged picture with one finger', async () => {
  viewer.lease(8, { kind: 'agent' })
  await view.getByText('The agent is in control').waitFor()
  await waitFor(async () => (await picture()).height > 0)
  const before = await picture()
  const middle = { x: before.x + before.width / 2, y: before.y + before.height / 2 }
  await touch('touchStart', [middle.x - 40, middle.y])
  await touch('touchStart', [middle.x - 40, middle.y], [middle.x + 40, middle.y])
  await touch('touchMove', [middle.x - 90, middle.y], [middle.x + 90, middle.y])
  await touch('touchEnd')
  await waitFor(async () => (await picture()).width > before.width * 1.5)
  const zoomed = await picture()
  await touch('touchStart', [middle.x, middle.y])
  await touch('touchMove', [middle.x - 30, middle.y])
  await touch('touchEnd')
  await waitFor(async () => Math.abs((await picture()).x - zoomed.x + 30) < 2)
})
