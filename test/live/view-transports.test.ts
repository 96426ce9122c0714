import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Connect, Gateway } from '@sandglass/protocol'
import type { Page } from 'playwright-core'
import { connectDetails } from '../../packages/server/src/testing/live-viewer.ts'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { sh } from './support/guest.ts'
import { openPlain, servePlainPage } from './support/plain-page.ts'
import { hasPicture, showsTheMachine } from './support/sandbox-view.ts'

const { service } = await startMachineService({ env: { SANDGLASS_LIVE_UDP_PORT: '0' } })
const sandbox = await runningSandbox(service)
const browser = await openBrowser()
const url = await servePlainPage()

/** The connection details, limited to these transports. */
async function by(...types: Gateway[]): Promise<Connect> {
  const details = await connectDetails(service, sandbox)
  const gatewayAddresses = details.gatewayAddresses.filter(({ gatewayType }) => types.includes(gatewayType))
  assert.equal(gatewayAddresses.length, types.length)
  return { ...details, gatewayAddresses }
}

/** The hash of another certificate. */
function withWrongHash(details: Connect): Connect {
  return { ...details, certificateHashBase64: Buffer.alloc(32, 7).toString('base64') }
}

function transportOf(page: Page): Promise<string> {
  return page.evaluate(() => (window.view.state.kind === 'live' ? window.view.state.transport : ''))
}

async function isLive(page: Page): Promise<void> {
  await page.waitForFunction(() => window.view.state.kind === 'live')
}

/** The number of viewers in the rooms of the service. */
async function viewers(): Promise<number> {
  const { text } = await service.operator('GET', '/metrics')
  return Number(/^sandglass_live_viewers(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1])
}

const ways = [
  ['WEBSOCKET', 'websocket'],
  ['WEB_TRANSPORT', 'webtransport'],
] as const
for (const [gatewayType, transport] of ways)
  test(`over ${gatewayType} the page shows the exact desktop and types into it`, async () => {
    const file = `/home/user/${transport}`
    await sh(
      service,
      sandbox,
      `xterm -T ${transport} -geometry 80x20+100+100 -e "cat > ${file}" >/dev/null 2>&1 &`,
    )
    await waitFor(async () => (await sh(service, sandbox, 'xwininfo -root -tree')).includes(`"${transport}"`))
    const page = await openPlain(browser, url, await by(gatewayType))
    await hasPicture(page)
    assert.equal(await transportOf(page), transport)
    await page.evaluate(() => window.view.take())
    await page.waitForFunction(() => window.view.lease.isMine)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.mouse.click(300, 200)
    await page.keyboard.type(`over ${transport}`)
    await page.keyboard.press('Enter')
    await waitFor(async () => (await sh(service, sandbox, `cat ${file}`)) === `over ${transport}\n`)
    await showsTheMachine(page, service, sandbox)
    await page.evaluate(() => window.view.handBack())
    await page.waitForFunction(() => !window.view.lease.isMine)
    await page.evaluate(() => window.view.close())
    await page.close()
  })

test('if both transports respond, one is used and the other is closed', async () => {
  const page = await openPlain(browser, url, await by('WEBSOCKET', 'WEB_TRANSPORT'))
  await isLive(page)
  await waitFor(async () => (await viewers()) === 1)
  await hasPicture(page)
  await showsTheMachine(page, service, sandbox)
  await page.evaluate(() => window.view.close())
  await page.close()
})

test('a certificate with another hash is refused, and nothing is shown', async () => {
  const page = await openPlain(browser, url, withWrongHash(await by('WEB_TRANSPORT')))
  await page.waitForFunction(() => window.view.state.kind === 'reconnecting' && window.view.state.attempt > 1)
  assert.equal(await page.evaluate(() => document.querySelector('canvas')?.width), 0)
  await page.close()
})

test('with a wrong hash the view uses another transport, if there is one', async () => {
  const page = await openPlain(browser, url, withWrongHash(await by('WEB_TRANSPORT', 'WEBSOCKET')))
  await hasPicture(page)
  assert.equal(await transportOf(page), 'websocket')
  await page.evaluate(() => window.view.close())
  await page.close()
})

test('a viewer that closes the view leaves the room immediately', async () => {
  const page = await openPlain(browser, url, await by('WEB_TRANSPORT'))
  await isLive(page)
  await waitFor(async () => (await viewers()) === 1)
  await page.evaluate(() => window.view.close())
  await waitFor(async () => (await viewers()) === 0)
  await page.close()
})
