import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'
import { temporaryFolder } from './support/service-process.ts'

test('a mapping survives a restart of the service, with its domain and its token', async () => {
  const guest = createServer((request, response) => response.end(`hello ${request.url}`)).listen(
    0,
    '127.0.0.1',
  )
  cleanup.defer(() => void guest.close())
  await once(guest, 'listening')
  const { port } = guest.address() as AddressInfo
  const engines = paperEngines({ dial: async () => connect(port, '127.0.0.1') })
  const env = { SANDGLASS_DATA: await temporaryFolder(), SANDGLASS_MAPPING_DOMAIN: 'apps.test' }
  const start = () => startTestService(env, async () => engines)

  const before = await start()
  const { body: sandbox } = await before.post('~/sandboxes', { shape: 'linux-desktop' })
  const status = async (service: typeof before) =>
    (await service.get(`~/sandboxes/${sandbox.id}/status`)).body.status
  await waitFor(async () => (await status(before)) === 'RUNNING')
  const made = await before.post(`~/sandboxes/${sandbox.id}/mappings`, { targetEndpoint: '127.0.0.1:3000' })
  assert.equal(made.status, 200)
  await before.service.close()

  const after = await start()
  const { body: mapping } = await after.get(`~/sandboxes/${sandbox.id}/mappings/127.0.0.1:3000`)
  assert.deepEqual(mapping, made.body)
  await waitFor(async () => (await status(after)) === 'RUNNING')
  const { hostname, port: servicePort } = new URL(after.service.url)
  const socket = connect(Number(servicePort), hostname)
  socket.write(
    `GET /there HTTP/1.1\r\nHost: ${mapping.domain}\r\nX-Sandglass-Mapping-Token: ${mapping.accessToken}\r\nConnection: close\r\n\r\n`,
  )
  assert.match(Buffer.concat(await socket.toArray()).toString(), /^HTTP\/1\.1 200 [\s\S]*hello \/there/)
})
