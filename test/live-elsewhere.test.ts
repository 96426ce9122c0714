import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { FakeScreen } from '../packages/gateway/src/picture/testing/fake-screen.ts'
import { connectDetails, enter, viewerOf } from '../packages/server/src/testing/live-viewer.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const start = (more = {}) =>
  startTestService({ ...env, ...more }, async () => paperEngines({ screen: new FakeScreen(64, 48) }))
const [a, b] = [await start(), await start()]

async function madeAtA(): Promise<string> {
  const { body } = await a.post('~/sandboxes', { shape: 'linux-desktop' })
  const path = `~/sandboxes/${body.id}`
  await waitFor(async () => (await b.get(`${path}/status`)).body.status === 'RUNNING')
  return path
}

test('any process tells the addresses of the one that has the machine, with a token that it takes', async () => {
  const sandbox = await madeAtA()
  const connect = await connectDetails(b, sandbox)
  const { gatewayAddresses } = await connectDetails(a, sandbox)
  assert.deepEqual(connect.gatewayAddresses, gatewayAddresses)
  assert.equal(gatewayAddresses[0]?.port, Number(new URL(a.service.url).port))
  const ada = await enter(connect)
  await ada.message('lease')
  await ada.until(() => ada.canvas)
  ada.close()
})

test('what is done to a sandbox at another process reaches its viewers', async () => {
  const sandbox = await madeAtA()
  const ada = await viewerOf(a, sandbox)
  await b.call('PUT', `${sandbox}/control`, { body: { holder: 'user' } })
  await ada.until(() => ada.lease?.holder.kind === 'nobody')
  await b.remove(`${sandbox}/live/tokens`)
  assert.equal((await ada.goodbye()).code, 'live.TOKEN_REVOKED')
  const { body: key } = await b.post('~/api-keys', { name: 'brief', role: 'member' })
  const bob = await viewerOf(a, sandbox, { key: key.apiKey })
  await b.remove(`~/api-keys/${key.id}`)
  assert.equal((await bob.goodbye()).code, 'live.TOKEN_REVOKED')
  const cleo = await viewerOf(a, sandbox)
  await b.remove(sandbox)
  assert.equal((await cleo.goodbye()).code, 'live.ROOM_GONE')
})

test('the addresses are those that the operator gives out', async () => {
  const c = await start({ SANDGLASS_LIVE_URL: 'https://live.example.org/one/' })
  let addresses: Awaited<ReturnType<typeof connectDetails>>['gatewayAddresses'] = []
  // On a busy box the others may still look less used, and get the sandbox.
  await waitFor(async () => {
    const { body } = await c.post('~/sandboxes', { shape: 'linux-desktop' })
    addresses = (await connectDetails(c, `~/sandboxes/${body.id}`)).gatewayAddresses
    return addresses[0]?.address === 'live.example.org'
  })
  assert.deepEqual(addresses, [
    {
      address: 'live.example.org',
      port: 443,
      path: '/one/live',
      gatewayType: 'WEBSOCKET_SECURE',
      name: 'websocket-secure',
      preferredProviders: ['GLOBAL_BGP'],
    },
  ])
})
