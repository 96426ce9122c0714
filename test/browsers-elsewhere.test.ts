import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { BrowserClient } from '../packages/server/src/modules/browsers/testing/browser-client.ts'
import { installFakeBrowser, startsOf } from '../packages/server/src/modules/browsers/testing/fake-browser.ts'
import { runningSandbox } from '../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const { service: here } = await startMachineService({ env })
const elsewhere = await startTestService(env)
const sandbox = await runningSandbox(here, { lifecycle: { onTimeout: 'pause', autoResume: true } })
await installFakeBrowser(here, sandbox)
const { apiKey } = here.service.credentials

/** The URLs of the browser, by way of the process that has not the machine. */
async function connect(key = apiKey): Promise<{ readonly ws: string; readonly http: string }> {
  const { status, body, text } = await elsewhere.get(`${sandbox}/browser/cdp`, { key })
  assert.equal(status, 200, text)
  const http = elsewhere.service.url + new URL(body.httpUrl).pathname
  return { http, ws: http.replace('http', 'ws') }
}

async function talk(url: string): Promise<BrowserClient> {
  const client = await BrowserClient.open(url)
  client.send('x')
  await waitFor(async () => client.texts.length === 1)
  return client
}

test('a process that has not the machine passes on the browser of it, and what it says of itself', async () => {
  const { ws, http } = await connect()
  const client = await talk(ws)
  assert.equal((await fetch(`${http}/json/list`)).status, 200)
  client.webSocket.close()
  await waitFor(async () => (await here.metric('sandglass_tunnels_open')) === 0)
})

test('calls to both processes at once start the browser once', async () => {
  const { length } = await startsOf(here, sandbox)
  await here.remove(`${sandbox}/browser/cdp`)
  const own = () => here.get(`${sandbox}/browser/cdp`)
  await Promise.all([connect(), own(), connect(), own()])
  assert.equal((await startsOf(here, sandbox)).length, length + 1)
})

test('a sandbox that sleeps is woken by way of another process', async () => {
  const { ws } = await connect()
  const client = await talk(ws)
  assert.equal((await here.post(`${sandbox}/pause`)).status, 200)
  await client.closed
  await talk(ws)
})

test('a connection by way of another process ends with its key, and when its URL is revoked there', async () => {
  const { body } = await here.post('~/api-keys', { name: 'short', role: 'member' })
  const { ws } = await connect(body.apiKey)
  const client = await talk(ws)
  await here.remove(`~/api-keys/${body.id}`)
  await client.closed
  const other = await connect()
  const second = await talk(other.ws)
  assert.equal((await elsewhere.delete(`${sandbox}/browser/cdp`, { key: apiKey })).status, 200)
  await second.closed
  for (const url of [ws, other.ws])
    assert.deepEqual(await BrowserClient.ask(url), { status: 401, code: 'browser.UNAUTHORIZED' })
})

test('connections end when a process stops', async () => {
  const { ws } = await connect()
  const client = await talk(ws)
  await elsewhere.service.close()
  await client.closed
})
