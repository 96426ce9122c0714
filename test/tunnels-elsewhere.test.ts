import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ports, startPrograms } from '../packages/server/src/modules/tunnels/testing/programs.ts'
import {
  askForTunnel,
  openTunnel,
  TunnelClient,
} from '../packages/server/src/modules/tunnels/testing/tunnel-client.ts'
import { makeSandbox } from '../packages/server/src/testing/make-sandbox.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { startTestService, type TestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const machines = await startMachineService({ env })
const { service: here } = machines
const elsewhere = await startTestService(env)
const lifecycle = { onTimeout: 'pause', autoResume: true }
const id = await makeSandbox(here, { lifecycle })
await startPrograms(machines, id)
// Both processes belong to one organization, whose key only the first one was given.
const { apiKey: key } = here.service.credentials
const open = (port: number, asked = { key }) => openTunnel(elsewhere, id, port, asked)

async function openByCredential(service: TestService): Promise<number> {
  const { text } = await service.get('/metrics', { key: here.service.credentials.operatorKey })
  return Number(/^sandglass_open_by_credential (\d+)$/m.exec(text)?.[1])
}

test('a process that has not the machine carries a tunnel to the one that has, with both ends', async () => {
  const client = await open(ports.digest)
  const sha = createHash('sha256')
  const piece = randomBytes(200_000)
  await client.sendAll(
    Array.from({ length: 200 }, () => {
      sha.update(piece)
      return piece
    }),
  )
  client.end()
  assert.deepEqual(await client.untilClosed(), { code: 1000, reason: '' })
  assert.equal(client.text, sha.digest('hex'))
  const source = await open(ports.source)
  let got = 0
  source.onData = data => {
    got += data.length
  }
  source.send('50000000\n')
  await waitFor(async () => source.hasEnded)
  assert.equal(got, 50_000_000)
  source.end()
  assert.equal((await source.untilClosed()).code, 1000)
})

test('refusals of the process that has the machine reach the caller as they are', async () => {
  const refused = async (port: string) => {
    const answer = await askForTunnel(elsewhere, `~/sandboxes/${id}/tunnel/${port}`, { key })
    return answer instanceof TunnelClient ? assert.fail() : [answer.status, answer.code]
  }
  assert.deepEqual(await refused('7999'), [502, 'tunnel.NOT_LISTENING'])
  assert.deepEqual(await refused('0'), [400, 'request.INVALID'])
  assert.deepEqual(await refused('adb'), [409, 'tunnel.NO_ADB'])
  const plain = await elsewhere.get(`~/sandboxes/${id}/tunnel/80`, { key })
  assert.deepEqual([plain.status, plain.body.code], [426, 'request.UPGRADE_REQUIRED'])
})

test('a tunnel by way of another process wakes a sandbox, and closes with the reason', async () => {
  assert.equal((await here.post(`~/sandboxes/${id}/pause`)).status, 200)
  const client = await open(ports.echo)
  client.send('x')
  await waitFor(async () => client.text === 'x')
  assert.equal((await here.post(`~/sandboxes/${id}/pause`)).status, 200)
  assert.deepEqual(await client.untilClosed(), { code: 4409, reason: 'sandbox.STATE' })
})

test('a tunnel by way of another process ends with its credential, and neither process remembers it', async () => {
  const { body } = await here.post('~/api-keys', { name: 'short', role: 'member' })
  const client = await open(ports.echo, { key: body.apiKey })
  client.send('x')
  await waitFor(async () => client.text === 'x')
  assert.equal((await here.delete(`~/api-keys/${body.id}`)).status, 200)
  assert.deepEqual(await client.untilClosed(), { code: 4401, reason: 'auth.INVALID' })
  // The question itself is open while it is answered.
  for (const service of [here, elsewhere]) await waitFor(async () => (await openByCredential(service)) <= 1)
})

test('a caller that vanishes is noticed by the process that has the machine', async () => {
  const client = await open(ports.echo)
  client.webSocket.terminate()
  await waitFor(async () => (await here.metric('sandglass_tunnels_open')) === 0)
})

test('tunnels end when a process stops, whichever it is', async () => {
  const [carried, own] = [await open(ports.echo), await openTunnel(here, id, ports.echo)]
  await elsewhere.service.close()
  await carried.untilClosed()
  own.send('still')
  await waitFor(async () => own.text === 'still')
  await here.service.close()
  assert.deepEqual(await own.untilClosed(), { code: 4503, reason: 'service.UNAVAILABLE' })
})
