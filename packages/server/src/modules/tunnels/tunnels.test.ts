import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { raw } from '../mappings/testing/raw.ts'
import { ports, startPrograms } from './testing/programs.ts'
import { askForTunnel, openTunnel, type Refusal, TunnelClient } from './testing/tunnel-client.ts'

const machines = await startMachineService()
const { service } = machines
const id = await makeSandbox(service, { maxLifeSeconds: 3600 })
await startPrograms(machines, id)
const tunnel = `~/sandboxes/${id}/tunnel`
const MiB = 1024 * 1024

async function refusal(...asked: Parameters<typeof askForTunnel>): Promise<Refusal> {
  const answer = await askForTunnel(...asked)
  return answer instanceof TunnelClient ? assert.fail('it was opened') : answer
}

test('bytes go in both directions, and both ends are passed on', async () => {
  const client = await openTunnel(service, id, ports.echo)
  client.send('Grüße ')
  client.send('🙂')
  await waitFor(async () => client.text === 'Grüße 🙂')
  assert.equal(client.hasEnded, false)
  client.end()
  assert.deepEqual(await client.untilClosed(), { code: 1000, reason: '' })
  assert.equal(client.hasEnded, true)
})

test('200 MiB arrive complete in the machine, and what it answers after the end comes back', async () => {
  const client = await openTunnel(service, id, ports.digest)
  const piece = randomBytes(256 * 1024)
  const sha = createHash('sha256')
  const pieces = function* () {
    for (let sent = 0; sent < 200 * MiB; sent += piece.length) {
      piece.writeUInt32LE(sent, 0)
      sha.update(piece)
      yield Buffer.from(piece)
    }
  }
  await client.sendAll(pieces())
  client.end()
  assert.deepEqual(await client.untilClosed(), { code: 1000, reason: '' })
  assert.equal(client.text, sha.digest('hex'))
})

test('200 MiB come complete out of the machine, which still reads after it has ended its own direction', async () => {
  const client = await openTunnel(service, id, ports.source)
  const [got, expected] = [createHash('sha256'), createHash('sha256')]
  let bytes = 0
  client.onData = data => {
    bytes += data.length
    got.update(data)
  }
  const pattern = Buffer.from(Array.from({ length: MiB }, (_, at) => at % 256))
  for (let at = 0; at < 200; at++) expected.update(pattern)
  client.send(`${200 * MiB}\n`)
  await waitFor(async () => client.hasEnded)
  assert.equal(bytes, 200 * MiB)
  assert.equal(got.digest('hex'), expected.digest('hex'))
  assert.equal(client.closed, undefined, 'the other direction is still open')
  client.send('late')
  client.end()
  assert.equal((await client.untilClosed()).code, 1000)
  const counted = () => service.get(`~/sandboxes/${id}/files/content?path=counted`)
  await waitFor(async () => (await counted()).text === '4')
})

test('what was sent before an orderly close reaches the program, as its end does', async () => {
  const client = await openTunnel(service, id, ports.source)
  client.send('0\n')
  await waitFor(async () => client.hasEnded)
  client.send('123456')
  client.webSocket.close(1000)
  const counted = () => service.get(`~/sandboxes/${id}/files/content?path=counted`)
  await waitFor(async () => (await counted()).text === '6')
})

test('a program that closes the connection after its answer ends the tunnel once the caller has ended, too', async () => {
  const client = await openTunnel(service, id, ports.shut)
  await waitFor(async () => client.hasEnded)
  assert.equal(client.text, 'bye')
  client.end()
  assert.equal((await client.untilClosed()).code, 1000)
})

test('a program that resets the connection closes the tunnel with the reason', async () => {
  const client = await openTunnel(service, id, ports.reset)
  client.send('x')
  assert.deepEqual(await client.untilClosed(), { code: 4502, reason: 'tunnel.RESET' })
})

test('a port on which nothing listens is refused before the upgrade', async () => {
  const { status, code, message, headers } = await refusal(service, `${tunnel}/7999`)
  assert.deepEqual([status, code], [502, 'tunnel.NOT_LISTENING'])
  assert.match(message, /Nothing in the sandbox is listening on this port/)
  assert.ok(headers['x-request-id'])
})

test('what is no port is a 400, and a request without an upgrade is told what to do', async () => {
  for (const port of ['0', '65536', 'abc', '-1', '1e3', '07', '80.0', '%00', '99999999999', 'ADB']) {
    const { status, code } = await refusal(service, `${tunnel}/${port}`)
    assert.deepEqual([status, code], [400, 'request.INVALID'], port)
  }
  const plain = await service.get(`${tunnel}/80`)
  assert.deepEqual([plain.status, plain.body.code], [426, 'request.UPGRADE_REQUIRED'])
  assert.equal(plain.headers.get('upgrade'), 'websocket')
  assert.equal((await service.post(`${tunnel}/80`)).status, 405)
  const { status, code } = await refusal(service, `${tunnel}/adb`)
  assert.deepEqual([status, code], [409, 'tunnel.NO_ADB'])
})

test('a handshake that is not right is refused with the reason', async () => {
  const ask = async (...headers: string[]) => {
    const path = service.expand(`${tunnel}/${ports.echo}`)
    const key = `X-Api-Key: ${service.service.credentials.apiKey}`
    const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', key, ...headers, '', '']
    return await raw(service.service.url, head.join('\r\n'))
  }
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket']
  const nonce = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
  assert.match(await ask(...upgrade, nonce, 'Sec-WebSocket-Version: 8'), / 426 [\s\S]*UPGRADE_REQUIRED/)
  assert.match(await ask(...upgrade, 'Sec-WebSocket-Version: 13'), / 400 [\s\S]*Sec-WebSocket-Key/)
  assert.match(await ask(...upgrade, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: x'), / 400 /)
  assert.match(await ask('Upgrade: websocket', 'Connection: close', nonce), / 426 /)
  assert.match(await ask('Connection: Upgrade, close', 'Upgrade: h2c', nonce), / 426 /)
})

test('what a caller sends together with the request arrives', async () => {
  const client = connect(Number(new URL(service.service.url).port), '127.0.0.1')
  const head = [
    ...[
      `GET ${service.expand(`${tunnel}/${ports.echo}`)} HTTP/1.1`,
      'Host: localhost',
      'Connection: Upgrade',
    ],
    ...[
      `X-Api-Key: ${service.service.credentials.apiKey}`,
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
    ],
    ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
  ].join('\r\n')
  // A message "early" with a mask of zeros, and an empty one.
  const frames = Buffer.from([0x82, 0x85, 0, 0, 0, 0, ...Buffer.from('early'), 0x82, 0x80, 0, 0, 0, 0])
  client.write(Buffer.concat([Buffer.from(head), frames]))
  let got = Buffer.alloc(0)
  client.on('data', piece => {
    got = Buffer.concat([got, piece])
  })
  // The echo, its end, and a close with 1000.
  const expected = Buffer.from([0x82, 5, ...Buffer.from('early'), 0x82, 0, 0x88, 2, 0x03, 0xe8])
  await waitFor(async () => got.includes(expected))
  client.destroy()
})

test('only members of the organization may open a tunnel, and viewers may not', async () => {
  const { orgId, apiKey } = await service.otherOrganization()
  const asStranger = await refusal(service, `${tunnel}/${ports.echo}`, { key: apiKey })
  assert.deepEqual([asStranger.status, asStranger.code], [404, 'organization.NOT_FOUND'])
  const own = `/api/orgs/${orgId}/sandboxes/${id}/tunnel/${ports.echo}`
  const smuggled = await refusal(service, own, { key: apiKey })
  assert.deepEqual([smuggled.status, smuggled.code], [404, 'sandbox.NOT_FOUND'])
  const viewer = await refusal(service, `${tunnel}/${ports.echo}`, { key: await service.keyOf('viewer') })
  assert.deepEqual([viewer.status, viewer.code], [403, 'auth.FORBIDDEN'])
  const nobody = await refusal(service, `${tunnel}/${ports.echo}`, { key: null })
  assert.deepEqual([nobody.status, nobody.code], [401, 'auth.MISSING'])
  const member = await openTunnel(service, id, ports.echo, { key: await service.keyOf('member') })
  member.webSocket.close()
})

test('a tunnel ends with the credential that opened it', async () => {
  const { body: key } = await service.post('~/api-keys', { name: 'short', role: 'member' })
  const client = await openTunnel(service, id, ports.echo, { key: key.apiKey })
  client.send('x')
  await waitFor(async () => client.text === 'x')
  assert.equal((await service.delete(`~/api-keys/${key.id}`)).status, 200)
  assert.deepEqual(await client.untilClosed(), { code: 4401, reason: 'auth.INVALID' })
})

test('a caller that breaks the protocol is told so', async () => {
  const text = await openTunnel(service, id, ports.echo)
  text.webSocket.send('text')
  assert.equal((await text.untilClosed()).code, 1003)
  const large = await openTunnel(service, id, ports.echo)
  large.send(Buffer.alloc(256 * 1024 + 1))
  assert.equal((await large.untilClosed()).code, 1009)
  const after = await openTunnel(service, id, ports.digest)
  after.end()
  after.send('more')
  assert.equal((await after.untilClosed()).code, 1002)
})

test('opening a tunnel is in the audit log, also if nothing listens', async () => {
  const before = (await service.get(`~/audit-log?target=${id}`)).body.entries.length
  const client = await openTunnel(service, id, ports.echo)
  client.webSocket.close()
  await refusal(service, `${tunnel}/7999`)
  const outcomes = async () => {
    const { body } = await service.get(`~/audit-log?target=${id}&limit=200`)
    return body.entries
      .slice(0, body.entries.length - before)
      .filter(({ operation }: { operation: string }) => operation === 'openSandboxTunnel')
      .map(({ outcome }: { outcome: string }) => outcome)
  }
  await waitFor(async () => (await outcomes()).length >= 3)
  assert.deepEqual((await outcomes()).sort(), ['attempted', 'attempted', 'tunnel.NOT_LISTENING'])
})

test('the metrics count open tunnels and their bytes', async () => {
  await waitFor(async () => (await service.metric('sandglass_tunnels_open')) === 0)
  const into = 'sandglass_tunnel_bytes_total{direction="in"}'
  const before = await service.metric(into)
  const client = await openTunnel(service, id, ports.echo)
  client.send('12345')
  await waitFor(async () => client.text === '12345')
  assert.equal(await service.metric('sandglass_tunnels_open'), 1)
  assert.equal((await service.metric(into)) - before, 5)
  client.end()
  await client.untilClosed()
  await waitFor(async () => (await service.metric('sandglass_tunnels_open')) === 0)
})

test('tunnels close with the reason when their sandbox is paused or deleted', async () => {
  const other = await makeSandbox(service)
  await startPrograms(machines, other)
  const paused = await openTunnel(service, other, ports.echo)
  assert.equal((await service.post(`~/sandboxes/${other}/pause`)).status, 200)
  assert.deepEqual(await paused.untilClosed(), { code: 4409, reason: 'sandbox.STATE' })
  const refused = await refusal(service, `~/sandboxes/${other}/tunnel/${ports.echo}`)
  assert.deepEqual([refused.status, refused.code], [409, 'sandbox.STATE'])
  assert.equal((await service.post(`~/sandboxes/${other}/resume`)).status, 200)
  let again: TunnelClient | Refusal | undefined
  await waitFor(async () => {
    again = await askForTunnel(service, `~/sandboxes/${other}/tunnel/${ports.echo}`)
    return again instanceof TunnelClient
  })
  assert.equal((await service.delete(`~/sandboxes/${other}`)).status, 200)
  assert.ok(again instanceof TunnelClient)
  assert.deepEqual(await again.untilClosed(), { code: 4404, reason: 'sandbox.NOT_FOUND' })
})
