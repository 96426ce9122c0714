import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { decode } from 'fast-png'
import type { Page } from 'playwright-core'
import { recordCalls } from '../../../packages/server/src/testing/e2b-calls/record-calls.ts'
import { resolveNamesToLoopback } from '../../../packages/server/src/testing/names.ts'
import { openBrowser } from '../../support/browser.ts'
import { openEvents } from './events.ts'
import { startDesktop } from './start-desktop.ts'

recordCalls(import.meta.filename)

resolveNamesToLoopback()
const { desktop } = await startDesktop()
const { trafficAccessToken: token = '' } = desktop
const browser = await openBrowser()
const green = [0, 0xaa, 0x44] as const

/** The URL of the stream as a person opens it here: the service has no TLS, and every port needs the token. */
const opened = (url: string) => `${url.replace(/^https:/, 'http:')}&e2b-traffic-access-token=${token}`

const canvasOf = (page: Page) => page.locator('#noVNC_container canvas')
const sizeIn = async (page: Page) => [
  await canvasOf(page).getAttribute('width'),
  await canvasOf(page).getAttribute('height'),
]

/** The share of the picture in the page that has the colour of the desktop. */
async function shareIn(page: Page): Promise<number> {
  const { data, channels } = decode(await canvasOf(page).screenshot())
  let count = 0
  for (let at = 0; at < data.length; at += channels)
    if (green.every((value, part) => data[at + part] === value)) count++
  return (count * channels) / data.length
}

/** Stops the stream. Its server still has its port for a moment after that, and another one could not have it. */
async function stop(): Promise<void> {
  await desktop.stream.stop()
  await waitFor(async () => (await desktop.commands.run('pgrep -x x11vnc || true')).stdout === '')
}

test('the stream shows the desktop in a browser, which can use it', async () => {
  await desktop.commands.run("hsetroot -solid '#00aa44'")
  await desktop.stream.start()
  await assert.rejects(desktop.stream.start(), /already running/)
  assert.throws(() => desktop.stream.getAuthKey(), /requireAuth/)
  const url = desktop.stream.getUrl({ resize: 'off' })
  assert.equal((await fetch(url.replace(/^https:/, 'http:'))).status, 401)

  const page = await browser.newPage()
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.goto(opened(url))
  await waitFor(async () => (await shareIn(page)) > 0.5)
  assert.deepEqual(await sizeIn(page), ['1024', '768'])
  assert.ok(!page.url().includes(token), 'the address does not show the token')

  const events = await openEvents(desktop)
  const box = (await canvasOf(page).boundingBox()) ?? assert.fail('no picture')
  const [x, y] = [events.left + 50, events.top + 50]
  await page.mouse.click(box.x + x, box.y + y)
  const taken: string[] = []
  await waitFor(() => taken.push(...events.taken()) >= 2)
  assert.deepEqual(taken, [`press 1 at ${x},${y}`, `release 1 at ${x},${y}`])
  await events.close()
  await page.close()
  await stop()
})

test('a stream with a password shows nothing without it', async () => {
  await desktop.stream.start({ requireAuth: true })
  const authKey = desktop.stream.getAuthKey()
  const page = await browser.newPage()
  await page.goto(opened(desktop.stream.getUrl()))
  await page.waitForSelector('#noVNC_password_input', { state: 'visible', timeout: patienceMs })
  assert.equal(await page.locator('html.noVNC_connected').count(), 0)
  await page.goto(opened(desktop.stream.getUrl({ authKey })))
  await waitFor(async () => (await shareIn(page)) > 0.5)
  await page.close()
  await stop()
})
