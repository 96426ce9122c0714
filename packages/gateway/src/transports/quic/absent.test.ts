import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Certificates } from '../../certificate/certificates.ts'
import { startQuic } from '../../testing/quic-service.ts'
import { denoBinary } from './deno.ts'
import { QuicListener, type QuicListenerOptions } from './quic-listener.ts'

async function start(t: TestContext, more: Partial<QuicListenerOptions>) {
  const data = await mkdtemp(join(tmpdir(), 'sandglass-quic-'))
  t.after(() => rm(data, { recursive: true }))
  const certificates = await Certificates.open({ folder: join(data, 'certificates') })
  t.after(() => certificates.close())
  return QuicListener.start({
    certificates,
    folder: join(data, 'quic'),
    host: '127.0.0.1',
    ports: [0, 0],
    welcome: ({ stream }) => stream.destroy(),
    reports: { warn: () => {} },
    ...more,
  })
}

test('Deno is found for this architecture, and for no other', () => {
  assert.ok(denoBinary())
  assert.equal(denoBinary('riscv64'), undefined)
})

test('a port that is in use is reported as the reason why there is no listener', async t => {
  const { port } = await startQuic()
  assert.match(JSON.stringify(await start(t, { ports: [port, port] })), /"absent":.*Address already in use/)
})

test('a folder that is too deep for a unix socket is reported as the reason why there is no listener', async t => {
  const folder = join(tmpdir(), 'deep/'.repeat(30))
  assert.match(JSON.stringify(await start(t, { folder })), /"absent":.*too long for a unix socket/)
})
