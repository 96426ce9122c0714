import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { DatagramTransports } from './datagram-transports.ts'

const host = '127.0.0.1'

/** A UDP port that somebody else uses. */
async function occupied(t: TestContext): Promise<number> {
  const socket = createSocket('udp4').bind(0, host)
  await once(socket, 'listening')
  t.after(() => socket.close())
  return socket.address().port
}

/** What is printed by a service whose first UDP port is this one. */
async function startedOn(t: TestContext, port: number): Promise<readonly string[]> {
  const data = await mkdtemp(join(tmpdir(), 'sandglass-datagrams-'))
  t.after(() => rm(data, { recursive: true, force: true }))
  const printed: string[] = []
  const transports = await DatagramTransports.start({
    data,
    host,
    port,
    welcome: ({ stream }) => stream.destroy(),
    log: pino({ level: 'silent' }),
    tell: line => printed.push(line),
  })
  await transports.close()
  return printed
}

const notice = (port: string, transports: string) =>
  `UDP port ${port} on ${host} is in use, so the live view is not served over ${transports}, only over the other transports. Stop the process that uses it, or set SANDGLASS_LIVE_UDP_PORT to the first of three free ports (none turns UDP off).`

test('a UDP port that is in use is named with the setting that changes it', async t => {
  const port = await occupied(t)
  assert.equal((await startedOn(t, port))[0], notice(`${port} or ${port + 1}`, 'WebTransport and QUIC'))
  const printed = await startedOn(t, port - 2)
  assert.ok(printed.includes(notice(String(port), 'KCP')), printed.join('\n'))
})
