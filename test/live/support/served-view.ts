import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, extname, join } from 'node:path'
import type { RoomMessage } from '@sandglass/protocol'
import type { BrowserContext, Frame, Page } from 'playwright-core'
import { cleanup } from '../../../packages/server/src/testing/cleanup.ts'
import { FakeRoom, type FakeViewer, fill } from './fake-room.ts'
import { arrived } from './opened.ts'

const dist = join(import.meta.dirname, '../../../apps/dashboard/dist')
const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html',
}

const around = `<!doctype html><title>Around</title><meta name="viewport" content="width=device-width">
<style>body { margin: 0 } iframe { border: 0; width: 100vw; height: 100vh; display: block }</style>
<iframe id="view" src="/view" allow="clipboard-read; clipboard-write"></iframe>`

/** The built page of the live view inside another page, without a service. */
export async function serveView(): Promise<string> {
  const server = createServer(async ({ url = '/' }, response) => {
    if (url === '/') return void response.setHeader('content-type', 'text/html').end(around)
    const file = url === '/view' ? join(dist, 'view.html') : join(dist, 'assets', basename(url))
    const content = await readFile(file).catch(() => undefined)
    if (!content) return void response.writeHead(404).end()
    response.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream').end(content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => void server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address)
  return `http://127.0.0.1:${address.port}/`
}

export interface OpenedView {
  readonly page: Page
  /** The live view itself. */
  readonly view: Frame
  readonly room: FakeRoom
  readonly viewer: FakeViewer
}

type Welcome = Parameters<FakeViewer['welcome']>[0]

/** The page of the live view, connected to a room that says only what the test says, with a picture of 640 by 360. */
export async function openViewInRoom(
  browser: BrowserContext,
  url: string,
  welcome?: Welcome,
): Promise<OpenedView> {
  const room = await FakeRoom.start()
  const page = await browser.newPage()
  await page.goto(url)
  const view = page.frames().find(frame => frame.url().endsWith('/view'))
  assert.ok(view)
  await view.getByText('Waiting for the page that shows this view').waitFor()
  await page.evaluate(connectDetails => {
    const frame = document.querySelector('iframe')
    frame?.contentWindow?.postMessage({ type: 'sandglass:connect', connectDetails, name: 'Ada' }, '*')
  }, room.connectDetails)
  await arrived(room, 1)
  const viewer = room.last
  viewer.welcome(welcome)
  viewer.tiles(640, 360, fill(0, 0, 640, 360, 40, 90, 140))
  await view.waitForFunction(() => (document.querySelector('canvas')?.width ?? 0) > 0)
  return { page, view, room, viewer }
}

/** What a room says of a sandbox that ends after this time. */
export function sandboxMessage(
  secondsLeft: number,
  more: Partial<Extract<RoomMessage, { kind: 'sandbox' }>> = {},
): RoomMessage {
  // The clock of the service is not that of the browser.
  const now = Date.parse('2020-01-01T12:00:00Z')
  return {
    kind: 'sandbox',
    name: 'invoices',
    status: 'running',
    isPhone: false,
    expiresAt: new Date(now + secondsLeft * 1000).toISOString(),
    now: new Date(now).toISOString(),
    ...more,
  }
}
