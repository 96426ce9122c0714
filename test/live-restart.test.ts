import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { FakeScreen } from '../packages/gateway/src/picture/testing/fake-screen.ts'
import { dialWebSocket } from '../packages/gateway/src/testing/index.ts'
import { connectDetails, enter } from '../packages/server/src/testing/live-viewer.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { temporaryFolder } from './support/service-process.ts'

const engines = paperEngines({ screen: new FakeScreen(64, 48) })
const env = { SANDGLASS_DATA: await temporaryFolder(), SANDGLASS_MAPPING_DOMAIN: 'apps.test' }

async function running(service: TestService, id: string): Promise<void> {
  const status = async () => (await service.get(`~/sandboxes/${id}/status`)).body.status
  await waitFor(async () => (await status()) === 'RUNNING')
}

test('a viewer reconnects with the same token after the service restarted', async () => {
  const before = await startTestService(env, async () => engines)
  const made = await Promise.all([0, 1].map(() => before.post('~/sandboxes', { shape: 'linux-desktop' })))
  const [taken = '', called = ''] = made.map(({ body }) => body.id)
  for (const id of [taken, called]) await running(before, id)
  const connect = await connectDetails(before, `~/sandboxes/${taken}`)
  const ada = await enter(connect)
  await ada.message('lease')
  await ada.takeControl()
  await before.call('PUT', `~/sandboxes/${called}/control`, { body: { holder: 'user' } })
  const [{ code, isFinal }] = await Promise.all([ada.goodbye(), before.service.close()])
  assert.deepEqual([code, isFinal], ['live.CLOSING', false])

  const after = await startTestService(env, async () => engines)
  const { gatewayAddresses } = await connectDetails(after, `~/sandboxes/${taken}`)
  const again = await enter({ ...connect, gatewayAddresses })
  await again.until(() => again.canvas)
  assert.deepEqual(again.lease?.holder, { kind: 'agent' }, 'what was taken unasked is the agent’s again')
  const bob = await enter(await connectDetails(after, `~/sandboxes/${called}`))
  assert.deepEqual((await bob.message('lease')).holder, { kind: 'nobody' }, 'who was called may still come')

  const url = new URL(after.service.url)
  const there = `ws://127.0.0.1:${url.port}`
  await assert.rejects(dialWebSocket(`${there}/elsewhere`), 'no other path speaks WebSocket')
  const host = { host: `m-00000000000000000000.apps.test:${url.port}` }
  await assert.rejects(dialWebSocket(`${there}/live`, host), 'nor does the host of a mapping')
  const socket = createConnection(Number(url.port), '127.0.0.1')
  socket.write('GET /live HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 404 /)
})
