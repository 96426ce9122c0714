import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { openToNetworkNotice } from './listening.ts'
import { Metrics } from './ops/metrics.ts'
import { listenForMetrics } from './ops/metrics-route.ts'
import { liveUdpPort, readSettings } from './settings.ts'

const noticeFor = (env: Record<string, string>) => openToNetworkNotice(readSettings(env))

test('a service that is open to a network without TLS or a proxy says what to do', () => {
  for (const SANDGLASS_HOST of ['0.0.0.0', '::', '192.0.2.1', 'desktops.example.org']) {
    const notice = noticeFor({ SANDGLASS_HOST }) ?? assert.fail(SANDGLASS_HOST)
    assert.ok(notice.startsWith(`The service listens on ${SANDGLASS_HOST} without TLS`), notice)
    for (const name of ['TLS_CERT', 'TLS_KEY', 'TRUSTED_PROXIES', 'HOST=127.0.0.1'])
      assert.ok(notice.includes(`SANDGLASS_${name}`), name)
    const tls = { SANDGLASS_TLS_CERT: '/cert.pem', SANDGLASS_TLS_KEY: '/key.pem' }
    assert.equal(noticeFor({ SANDGLASS_HOST, ...tls }), undefined)
    assert.equal(noticeFor({ SANDGLASS_HOST, SANDGLASS_TRUSTED_PROXIES: '10.0.0.1' }), undefined)
  }
  for (const SANDGLASS_HOST of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
    assert.equal(noticeFor({ SANDGLASS_HOST }), undefined)
})

test('the UDP ports follow the port of the API unless they are set', () => {
  assert.equal(liveUdpPort(readSettings({})), 4780)
  assert.equal(liveUdpPort(readSettings({ SANDGLASS_PORT: '8080' })), 8080)
  assert.equal(liveUdpPort(readSettings({ SANDGLASS_PORT: '0' })), 0)
  const other = readSettings({ SANDGLASS_PORT: '8080', SANDGLASS_LIVE_UDP_PORT: '9000' })
  assert.equal(liveUdpPort(other), 9000)
  assert.equal(liveUdpPort(readSettings({ SANDGLASS_LIVE_UDP_PORT: 'none' })), 'none')
  assert.throws(
    () => readSettings({ SANDGLASS_LIVE_UDP_PORT: '65534' }),
    /^SettingError: SANDGLASS_LIVE_UDP_/,
  )
  assert.throws(() => readSettings({ SANDGLASS_PORT: '65534' }), /set SANDGLASS_LIVE_UDP_PORT as well/)
  readSettings({ SANDGLASS_PORT: '65534', SANDGLASS_LIVE_UDP_PORT: 'none' })
})

async function occupied(t: TestContext): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  return String(address.port)
}

test('a port for metrics that is in use is named with its setting', async t => {
  const port = await occupied(t)
  const settings = readSettings({ SANDGLASS_METRICS_PORT: port })
  await assert.rejects(
    listenForMetrics(new Metrics(), settings),
    new RegExp(`Port ${port} on 127.0.0.1 is in use\\. .*set SANDGLASS_METRICS_PORT\\.$`),
  )
})
