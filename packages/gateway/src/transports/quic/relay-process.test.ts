import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { waitFor } from '@sandglass/machines/testing'
import { startQuic } from '../../testing/quic-service.ts'
import { denoBinary } from './deno.ts'
import { RelayProcess } from './relay-process.ts'

const run = promisify(execFile)

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('a relay that was killed is restarted at the same port', async () => {
  const { port, listener, connect, warnings } = await startQuic()
  const [pid = 0] = listener.pids
  const before = await connect()
  before.write('?')
  await once(before, 'data')
  process.kill(pid, 'SIGKILL')
  await waitFor(async () => listener.port === port && listener.pids[0] !== pid)
  const after = await connect()
  after.end('again')
  assert.equal(String(Buffer.concat(await after.toArray())), 'again')
  assert.match(warnings.join(), /ended by itself with SIGKILL/)
  before.destroy()
})

test('a relay is not root and its only privilege is to bind ports below 1024', async () => {
  const { listener } = await startQuic()
  const status = await readFile(`/proc/${listener.pids[0]}/status`, 'utf8')
  const [, effective] = /^Uid:\t\d+\t(\d+)/m.exec(status) ?? []
  assert.notEqual(effective, '0')
  for (const [, capabilities] of status.matchAll(/^Cap(?:Eff|Prm|Inh|Amb):\t(\w+)$/gm))
    assert.equal(BigInt(`0x${capabilities}`) & ~(1n << 10n), 0n)
})

test('a relay does not keep the mounts of machines', async t => {
  await mkdir('/run/sandglass', { recursive: true })
  const folder = await mkdtemp('/run/sandglass/mounts-')
  await run('mount', ['-t', 'tmpfs', 'machine', folder])
  t.after(async () => {
    await run('umount', ['-l', folder])
    await rm(folder, { recursive: true })
  })
  const { listener } = await startQuic()
  assert.doesNotMatch(await readFile(`/proc/${listener.pids[0]}/mounts`, 'utf8'), / \/run\/sandglass\//)
})

test('a relay exits with its listener', async () => {
  const { listener } = await startQuic()
  const [pid = 0] = listener.pids
  assert.ok(isAlive(pid))
  await listener.close()
  assert.ok(!isAlive(pid))
})

test('a relay exits when the service is killed', async t => {
  const data = await mkdtemp(join(tmpdir(), 'sandglass-quic-'))
  t.after(() => rm(data, { recursive: true, force: true, maxRetries: 10 }))
  const service = spawn(process.execPath, [join(import.meta.dirname, '../../testing/quic-main.ts'), data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => service.kill('SIGKILL'))
  const [pid] = await once(createInterface({ input: service.stdout }), 'line')
  assert.ok(isAlive(Number(pid)))
  service.kill('SIGKILL')
  await waitFor(async () => !isAlive(Number(pid)))
})

test('a relay that cannot bind its port reports it', async t => {
  const { port, certificates } = await startQuic()
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-quic-'))
  t.after(() => rm(folder, { recursive: true }))
  await assert.rejects(
    RelayProcess.start({
      folder,
      host: '127.0.0.1',
      port,
      certificate: certificates.current,
      binary: denoBinary() ?? '',
      reports: { warn: () => {} },
      limits: {
        connections: 1,
        connectionsPerAddress: 1,
        handshakes: 1,
        handshakeMs: 1_000,
        silenceMs: 1_000,
      },
    }),
    /Address already in use/,
  )
})
