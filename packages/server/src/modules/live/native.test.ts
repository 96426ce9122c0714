import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import { connectKcp } from '@sandglass/gateway/kcp'
import { connectQuic } from '@sandglass/gateway/quic'
import { LiveClient, startLossyProxy } from '@sandglass/gateway/testing'
import { waitFor } from '@sandglass/machines/testing'
import type { Connect, Gateway } from '@sandglass/protocol'
import { cleanup } from '../../testing/cleanup.ts'
import { LiveDesktop } from '../../testing/live-desktop.ts'
import { connectDetails } from '../../testing/live-viewer.ts'
import { runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService({ env: { SANDGLASS_LIVE_UDP_PORT: '0' } })
const sandbox = await runningSandbox(service)
const desktop = new LiveDesktop(service, sandbox)

const dialers = { KCP: connectKcp, QUIC: connectQuic }

function addressOf({ gatewayAddresses }: Connect, type: Gateway): Connect['gatewayAddresses'][number] {
  const address = gatewayAddresses.find(({ gatewayType }) => gatewayType === type)
  assert.ok(address, `${type} is listed`)
  return address
}

async function dial(
  type: keyof typeof dialers,
  port: number,
  certificateHashBase64: string,
): Promise<Duplex> {
  const stream = await dialers[type]({ host: '127.0.0.1', port, certificateHashBase64 })
  stream.on('error', () => {})
  cleanup.defer(() => void stream.destroy())
  return stream
}

test('every available transport is listed, with one certificate hash for those that need it', async () => {
  const connect = await connectDetails(service, sandbox)
  assert.deepEqual(
    connect.gatewayAddresses.map(({ gatewayType, address, path }) => [gatewayType, address, path]),
    [
      ['WEB_TRANSPORT', '127.0.0.1', '/live'],
      ['QUIC', '127.0.0.1', undefined],
      ['KCP', '127.0.0.1', undefined],
      ['WEBSOCKET', '127.0.0.1', '/live'],
    ],
  )
  assert.equal(Buffer.from(connect.certificateHashBase64, 'base64').length, 32)
  assert.equal(addressOf(connect, 'QUIC').port, addressOf(connect, 'WEB_TRANSPORT').port)
})

for (const type of ['KCP', 'QUIC'] as const) {
  test(`a native client sees and types over ${type}, with 10% loss and 40 ms latency each way`, async () => {
    const connect = await connectDetails(service, sandbox)
    const proxy = await startLossyProxy({ port: addressOf(connect, type).port })
    const client = new LiveClient(await dial(type, proxy.port, connect.certificateHashBase64))
    client.hello({ room: connect.roomId, token: connect.endUserToken })
    await client.message('lease')
    const canvas = await client.until(() => client.canvas)
    assert.deepEqual([canvas.width, canvas.height], [1280, 720])
    await desktop.openEditor(`/tmp/${type}.txt`)
    await client.takeControl()
    client.do({ type: 'text', text: `by ${type}: Grüße, 世界 😀` })
    for (const isDown of [true, false])
      for (const keysym of [0xffe3, 0x73]) client.do({ type: 'key', keysym, isDown })
    await waitFor(async () => (await desktop.shell(`cat /tmp/${type}.txt`)) === `by ${type}: Grüße, 世界 😀`)
    await desktop.paint('336699')
    await client.until(() => Buffer.from(client.canvas?.rgba.slice(0, 3) ?? []).toString('hex') === '336699')
    client.say({ kind: 'handBack' })
    await client.until(() => client.lease?.holder.kind === 'agent')
    assert.ok(proxy.lost > 0)
    client.close()
  })

  test(`a certificate with an unexpected hash is refused over ${type}`, async () => {
    const { port } = addressOf(await connectDetails(service, sandbox), type)
    await assert.rejects(dial(type, port, Buffer.alloc(32, 7).toString('base64')))
  })

  test(`an invalid token and a token of another room are refused over ${type}`, async () => {
    const connect = await connectDetails(service, sandbox)
    for (const hello of [
      { room: connect.roomId, token: `${connect.endUserToken.slice(0, -4)}AAAA` },
      { room: 'another', token: connect.endUserToken },
    ]) {
      const client = new LiveClient(
        await dial(type, addressOf(connect, type).port, connect.certificateHashBase64),
      )
      client.hello(hello)
      assert.equal((await client.message('goodbye')).isFinal, true)
    }
  })
}
