import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { recordCalls } from '../../../packages/server/src/testing/e2b-calls/record-calls.ts'
import { resolveNamesToLoopback } from '../../../packages/server/src/testing/names.ts'
import { openBrowser } from '../../support/browser.ts'
import { openEvents } from './events.ts'
import { startDesktop } from './start-desktop.ts'
import { openedUrl, openStream } from './stream-page.ts'

recordCalls(import.meta.filename)

resolveNamesToLoopback()
const { desktop } = await startDesktop()
const { trafficAccessToken: token = '' } = desktop
const browser = await openBrowser()
const green = [0, 0xaa, 0x44] as const

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

  const stream = await openStream(browser, desktop, url)
  await waitFor(async () => (await stream.shareOf(green)) > 0.5)
  assert.deepEqual(await stream.size(), ['1024', '768'])
  assert.ok(!stream.page.url().includes(token), 'the address does not show the token')

  const events = await openEvents(desktop)
  const [x, y] = [events.left + 50, events.top + 50]
  await stream.click(x, y)
  const taken: string[] = []
  await waitFor(() => taken.push(...events.taken()) >= 2)
  assert.deepEqual(taken, [`press 1 at ${x},${y}`, `release 1 at ${x},${y}`])
  await events.close()
  await stream.close()
  await stop()
})

test('the stream of one window shows that window alone, and the browser can use it', async () => {
  const events = await openEvents(desktop)
  const windowId = await desktop.getCurrentWindowId()
  assert.equal(await desktop.getWindowTitle(windowId), 'events')
  await desktop.stream.start({ windowId })

  const stream = await openStream(browser, desktop, desktop.stream.getUrl({ resize: 'off' }))
  await waitFor(async () => (await stream.shareOf([255, 255, 255])) > 0.9)
  assert.deepEqual(await stream.size(), ['500', '300'])
  assert.equal(await stream.shareOf(green), 0)
  await stream.click(50, 60)
  const taken: string[] = []
  await waitFor(() => taken.push(...events.taken()) >= 2)
  const place = `${events.left + 50},${events.top + 60}`
  assert.deepEqual(taken, [`press 1 at ${place}`, `release 1 at ${place}`])
  await stream.close()
  await stop()
  await events.close()
})

test('a stream with a password shows nothing without it', async () => {
  await desktop.stream.start({ requireAuth: true })
  const authKey = desktop.stream.getAuthKey()
  const stream = await openStream(browser, desktop, desktop.stream.getUrl())
  const { page } = stream
  await page.waitForSelector('#noVNC_password_input', { state: 'visible', timeout: patienceMs })
  assert.equal(await page.locator('html.noVNC_connected').count(), 0)
  await page.goto(openedUrl(desktop, desktop.stream.getUrl({ authKey })))
  await waitFor(async () => (await stream.shareOf(green)) > 0.5)
  await stream.close()
  await stop()
})
