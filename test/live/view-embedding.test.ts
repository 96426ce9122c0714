import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { connectDetails } from '../../packages/server/src/testing/live-viewer.ts'
import { runningSandbox } from '../../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { openBrowser } from '../support/browser.ts'
import { invite } from './support/sandbox-view.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const browser = await openBrowser()
const view = `${service.service.url}/view`

/** A third-party page that embeds ours. */
async function pageAround(src: string): Promise<Page> {
  const html = `<!doctype html><title>Around</title><script>
    window.messages = []
    addEventListener('message', ({ data }) => messages.push(data))
  </script><iframe id="view" src="${src}" style="width: 960px; height: 600px" allow="clipboard-read; clipboard-write; fullscreen"></iframe>`
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(html),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => void server.close())
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  return page
}

declare global {
  interface Window {
    messages: { type: string; state?: string }[]
  }
}

async function told(page: Page, message: { type: string; state?: string }): Promise<void> {
  await page.waitForFunction(
    ({ type, state }) =>
      window.messages.some(one => one.type === type && (state === undefined || one.state === state)),
    message,
  )
}

test('the embedding page sends what to show in a message, and receives the status', async () => {
  const page = await pageAround(view)
  await told(page, { type: 'sandglass:ready' })
  const details = await connectDetails(service, sandbox)
  await page.evaluate(connectDetails => {
    const frame = document.querySelector('iframe')
    frame?.contentWindow?.postMessage({ type: 'sandglass:connect', connectDetails, name: 'Ada' }, '*')
  }, details)
  await told(page, { type: 'sandglass:state', state: 'live' })
  await page.frameLocator('#view').getByRole('button', { name: 'Take control' }).click()
  await page.frameLocator('#view').getByText('You are in control').waitFor()
  await page.close()
})

test('the embedding page is asked for a new token when its token is rejected', async () => {
  const page = await pageAround(view)
  await told(page, { type: 'sandglass:ready' })
  const details = await connectDetails(service, sandbox)
  const send = (endUserToken: string) =>
    page.evaluate(
      connectDetails => {
        const frame = document.querySelector('iframe')
        frame?.contentWindow?.postMessage({ type: 'sandglass:connect', connectDetails }, '*')
      },
      { ...details, endUserToken },
    )
  await send('nonsense')
  await told(page, { type: 'sandglass:renew' })
  await send(details.endUserToken)
  await told(page, { type: 'sandglass:state', state: 'live' })
  await page.close()
})

test('only messages of the embedding page are accepted', async () => {
  const page = await pageAround(view)
  await told(page, { type: 'sandglass:ready' })
  const details = await connectDetails(service, sandbox)
  const frame = page.frames().find(one => one.url().startsWith(view))
  assert.ok(frame)
  await frame.evaluate(async connectDetails => {
    window.postMessage({ type: 'sandglass:connect', connectDetails }, '*')
    await new Promise(resolve => {
      addEventListener('message', resolve, { once: true })
      window.postMessage('after it', '*')
    })
  }, details)
  assert.ok(
    await page.frameLocator('#view').getByText('Waiting for the page that shows this view').isVisible(),
  )
  await page.close()
})

test('an invitation works in a frame too, and is not stored there', async () => {
  const page = await pageAround(await invite(service, sandbox))
  await told(page, { type: 'sandglass:state', state: 'live' })
  await page.reload()
  const frame = page.frames().find(one => one.url().startsWith(view))
  assert.equal(await frame?.evaluate(() => sessionStorage.length), 0)
  await page.close()
})

test('the page has a strict content security policy, and its assets are cached forever', async () => {
  const answer = await fetch(view)
  const policy = answer.headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "script-src 'self'", 'frame-ancestors *', "base-uri 'none'"])
    assert.ok(policy.includes(rule), `${policy} has no ${rule}`)
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(answer.headers.get('cache-control'), 'no-cache')
  const [, script = ''] = /src="(\/assets\/[^"]+)"/.exec(await answer.text()) ?? []
  const part = await fetch(service.service.url + script)
  assert.equal(part.status, 200)
  assert.equal(part.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(part.headers.get('x-content-type-options'), 'nosniff')
  assert.equal((await fetch(`${service.service.url}/assets/../view.html`)).status, 404)
})
