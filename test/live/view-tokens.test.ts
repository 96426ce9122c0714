import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Connect } from '@sandglass/protocol'
import type { Page } from 'playwright-core'
import { connectDetails } from '../../packages/server/src/testing/live-viewer.ts'
import { runIn, runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { openPlain, servePlainPage } from './support/plain-page.ts'
import { hasPicture, showsTheMachine } from './support/sandbox-view.ts'

const { service } = await startMachineService()
const [sandbox, other] = await Promise.all([runningSandbox(service), runningSandbox(service)])
const browser = await openBrowser()
const url = await servePlainPage()
const details = await connectDetails(service, sandbox)
/** It has expired when the last test of the file needs that. */
const { body: short } = await service.post(`${sandbox}/live/tokens`, { scope: ['view'], lifetimeSeconds: 10 })

async function ended(page: Page): Promise<{ code: string; message: string }> {
  await page.waitForFunction(() => window.view.state.kind === 'ended')
  return page.evaluate(() =>
    window.view.state.kind === 'ended' ? window.view.state : { code: '', message: '' },
  )
}

test('the plain client shows the machine with nothing but connectDetails', async () => {
  const page = await openPlain(browser, url, details)
  await hasPicture(page)
  await showsTheMachine(page, service, sandbox)
  await page.close()
})

const wrong: [string, () => Promise<Connect>, string][] = [
  ['a token that is none', async () => ({ ...details, endUserToken: 'nonsense' }), 'live.TOKEN_INVALID'],
  [
    'the token of another room',
    async () => ({ ...details, endUserToken: (await connectDetails(service, other)).endUserToken }),
    'live.TOKEN_INVALID',
  ],
  [
    'a token whose last letters were changed',
    async () => ({ ...details, endUserToken: `${details.endUserToken.slice(0, -8)}AAAAAAAA` }),
    'live.TOKEN_INVALID',
  ],
]
for (const [what, make, code] of wrong)
  test(`${what} is refused, and the page is told why`, async () => {
    const page = await openPlain(browser, url, await make())
    const end = await ended(page)
    assert.equal(end.code, code)
    assert.ok(end.message.length > 0)
    assert.equal(await page.evaluate(() => document.querySelector('canvas')?.width), 0)
    await page.close()
  })

test('a token that was revoked ends the view', async () => {
  const { body } = await service.post(`${other}/live/tokens`, { scope: ['view'] })
  const page = await openPlain(browser, url, body)
  await page.waitForFunction(() => window.view.state.kind === 'live')
  await service.remove(`${other}/live/tokens`)
  assert.equal((await ended(page)).code, 'live.TOKEN_REVOKED')
  await page.close()
})

test('a view-only token changes nothing, whatever the page sends', async () => {
  const { body } = await service.post(`${sandbox}/live/tokens`, { scope: ['view'] })
  const page = await openPlain(browser, url, body)
  await page.waitForFunction(() => window.view.state.kind === 'live')
  const where = async () =>
    (await runIn(service, sandbox, { executable: 'xdotool', args: ['getmouselocation'] })).stdout
  const before = await where()
  // Bypass the client, with every lease number that may be valid.
  await page.evaluate(async ({ gatewayAddresses, roomId, endUserToken }: Connect) => {
    const { port, path } = gatewayAddresses.find(({ gatewayType }) => gatewayType === 'WEBSOCKET') ?? {}
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    await new Promise(resolve => socket.addEventListener('open', resolve))
    const send = (channel: number, type: number, payload: Uint8Array) => {
      const frame = new Uint8Array(6 + payload.length)
      new DataView(frame.buffer).setUint32(0, payload.length + 2)
      frame.set([channel, type], 4)
      frame.set(payload, 6)
      socket.send(frame)
    }
    const hello = {
      kind: 'hello',
      version: 1,
      room: roomId,
      token: endUserToken,
      name: 'Mallory',
      video: false,
    }
    send(0, 1, new TextEncoder().encode(JSON.stringify(hello)))
    send(0, 1, new TextEncoder().encode(JSON.stringify({ kind: 'take', force: true })))
    for (let lease = 0; lease < 20; lease++) send(3, 1, Uint8Array.of(0, 0, 0, lease, 0, 9, 0, 9, 0))
    send(5, 1, Uint8Array.of(0, 0, 0, 1))
    await new Promise(resolve => socket.addEventListener('message', resolve))
    socket.close()
  }, body)
  assert.equal(await where(), before)
  const { body: control } = await service.get(sandbox)
  assert.equal(control.sandbox.control, 'agent')
  await page.close()
})

test('a token that has expired is refused, and the page is told why', async () => {
  await waitFor(async () => Date.now() > Date.parse(short.expiresAt))
  const page = await openPlain(browser, url, short)
  assert.equal((await ended(page)).code, 'live.TOKEN_EXPIRED')
  await page.close()
})
