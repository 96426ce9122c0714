import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { channel, encodeClipboard, parseClipboard } from '@sandglass/wire/frames'
import type { FakeViewer } from './support/fake-room.ts'
import { browser, openedWithPicture, plainUrl } from './support/opened.ts'

const { origin } = new URL(plainUrl)
const pasted = (viewer: FakeViewer) =>
  viewer.others.filter(frame => frame.channel === channel.clipboard).map(parseClipboard)

test('Ctrl+V sends the local text and then the key', async () => {
  await browser.clearPermissions()
  await browser.grantPermissions(['clipboard-write'], { origin })
  const { viewer, page } = await openedWithPicture()
  await page.evaluate(() => navigator.clipboard.writeText('from here'))
  await page.keyboard.press('Control+v')
  await waitFor(async () => viewer.keys.length === 4)
  assert.deepEqual(viewer.keys, [0xffe3, 0x76, -0x76, -0xffe3])
  assert.deepEqual(pasted(viewer), ['from here'])
  await page.close()
})

test('with the permission of the browser the clipboard is synchronized without a key', async () => {
  await browser.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
  const { viewer, page } = await openedWithPicture({ isHolder: false })
  await page.evaluate(() => navigator.clipboard.writeText('before the control'))
  viewer.lease(8, { kind: 'person', viewer: 'v1', name: '' })
  await waitFor(async () => pasted(viewer).length === 1)
  assert.deepEqual(pasted(viewer), ['before the control'])
  viewer.send(encodeClipboard('from there ✓'))
  await waitFor(async () => (await page.evaluate(() => navigator.clipboard.readText())) === 'from there ✓')
  await page.close()
})

test('without the scope nothing is sent, and Ctrl+V is a key like any other', async () => {
  const { viewer, page } = await openedWithPicture({ scope: ['view', 'input'] })
  await page.evaluate(() => navigator.clipboard.writeText('secret'))
  await page.keyboard.press('Control+v')
  await waitFor(async () => viewer.keys.length === 4)
  assert.deepEqual(pasted(viewer), [])
  assert.equal(await page.evaluate(() => window.view.paste('secret')), false)
  assert.deepEqual(pasted(viewer), [])
  await page.close()
})
