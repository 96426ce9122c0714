import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { ports, startPrograms } from './testing/programs.ts'
import { askForTunnel, openTunnel, TunnelClient } from './testing/tunnel-client.ts'

const machines = await startMachineService({
  env: { SANDGLASS_SANDBOX_TUNNELS: '4', SANDGLASS_ORGANIZATION_TUNNELS: '6' },
})
const { service } = machines
const [id, other] = [await makeSandbox(service), await makeSandbox(service)]
await Promise.all([id, other].map(each => startPrograms(machines, each)))
const MiB = 1024 * 1024

const bytes = (direction: 'in' | 'out') =>
  service.metric(`sandglass_tunnel_bytes_total{direction="${direction}"}`)
const allClosed = () => waitFor(async () => (await service.metric('sandglass_tunnels_open')) === 0)

/** Waits until no more bytes go this way, and returns how many went. */
async function untilStill(direction: 'in' | 'out', before: number): Promise<number> {
  let [last, times] = [-1, 0]
  await waitFor(async () => {
    const now = await bytes(direction)
    times = now === last && now > before ? times + 1 : 0
    last = now
    return times === 20
  })
  return last - before
}

test('a caller that does not read is not read ahead for, and loses nothing when it reads on', async () => {
  const client = await openTunnel(service, id, ports.source)
  const before = await bytes('out')
  let got = 0
  client.onData = data => {
    got += data.length
  }
  client.webSocket.pause()
  client.send(`${400 * MiB}\n`)
  const taken = await untilStill('out', before)
  assert.ok(taken < 32 * MiB, `${taken} bytes were taken from the machine`)
  client.webSocket.resume()
  await waitFor(async () => client.hasEnded)
  assert.equal(got, 400 * MiB)
  client.end()
  assert.equal((await client.untilClosed()).code, 1000)
  await allClosed()
})

test('a program that never reads fills nothing but the buffers on the way, and a caller that leaves it is noticed', async () => {
  const client = await openTunnel(service, id, ports.deaf)
  const before = await bytes('in')
  const piece = Buffer.alloc(256 * 1024)
  for (let sent = 0; sent < 200 * MiB; sent += piece.length) client.webSocket.send(piece)
  const taken = await untilStill('in', before)
  assert.ok(taken < 32 * MiB, `${taken} bytes were taken from the caller`)
  assert.equal((await service.get(`~/sandboxes/${id}/status`)).status, 200)
  client.webSocket.terminate()
  await allClosed()
})

test('a flood of tiny messages arrives in order, and other calls are answered meanwhile', async () => {
  const client = await openTunnel(service, id, ports.echo)
  const count = 60_000
  let got = ''
  client.onData = data => {
    got += data.toString('latin1')
  }
  let expected = ''
  for (let at = 0; at < count; at++) {
    const letter = String.fromCharCode(97 + (at % 26))
    expected += letter
    client.webSocket.send(Buffer.from(letter))
  }
  assert.equal((await service.get(`~/sandboxes/${other}/status`)).status, 200)
  await waitFor(async () => got.length === count)
  assert.equal(got, expected)
  client.webSocket.terminate()
  await allClosed()
})

test('a program that sends single bytes without end is slowed down, and other calls are answered meanwhile', async () => {
  const client = await openTunnel(service, id, ports.dribble)
  let got = 0
  client.onData = data => {
    got += data.length
  }
  await waitFor(async () => got > 50_000)
  assert.equal((await service.get(`~/sandboxes/${other}/status`)).status, 200)
  client.webSocket.close()
  await once(client.webSocket, 'close')
  await allClosed()
})

test('a sandbox and an organization have a limited number of tunnels', async () => {
  const open = (sandbox: string) =>
    Promise.all(
      Array.from({ length: 4 }, () => askForTunnel(service, `~/sandboxes/${sandbox}/tunnel/${ports.echo}`)),
    )
  const first = await open(id)
  assert.ok(first.every(each => each instanceof TunnelClient))
  const fifth = await askForTunnel(service, `~/sandboxes/${id}/tunnel/${ports.echo}`)
  assert.ok(!(fifth instanceof TunnelClient))
  assert.deepEqual([fifth.status, fifth.code], [429, 'tunnel.TOO_MANY'])
  assert.match(fifth.message, /^A sandbox can have at most 4 open tunnels/)
  assert.ok(Number(fifth.headers['retry-after']) > 0)
  const second = await open(other)
  assert.equal(second.filter(each => each instanceof TunnelClient).length, 2)
  const refused = second.find(each => !(each instanceof TunnelClient))
  assert.match(refused && 'message' in refused ? refused.message : '', /^An organization can have at most 6/)
  for (const each of [...first, ...second]) if (each instanceof TunnelClient) each.webSocket.close()
  await allClosed()
  const again = await openTunnel(service, id, ports.echo)
  again.webSocket.close()
})

test('refused ports take no place', async () => {
  for (let times = 0; times < 10; times++) {
    const refused = await askForTunnel(service, `~/sandboxes/${id}/tunnel/7999`)
    assert.equal(refused instanceof TunnelClient ? '' : refused.code, 'tunnel.NOT_LISTENING')
  }
  const client = await openTunnel(service, id, ports.echo)
  client.webSocket.close()
  await allClosed()
})
