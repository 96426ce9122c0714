import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openIncus } from './daemon.ts'

test('Incus is installed and started only where it does not answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-incus-'))
  const socket = join(folder, 'unix.socket')
  const server = createServer((_, response) => response.end(JSON.stringify({ type: 'sync', metadata: {} })))
  const done: string[] = []
  const options = {
    socket,
    tell: (line: string) => void done.push(line),
    install: async () => void done.push('install'),
    start: async () => {
      done.push('start')
      await once(server.listen(socket), 'listening')
    },
  }
  try {
    const first = await openIncus(options)
    assert.deepEqual(done, ['install', 'start', 'Incus runs.'])
    const second = await openIncus(options)
    assert.equal(done.length, 3, 'the second time it answers already')
    for (const incus of [first, second]) incus.close()
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
})

test('what cannot be installed is not started', async () => {
  const options = {
    socket: '/nowhere/unix.socket',
    tell: () => {},
    install: () => Promise.reject(new Error('There is no mirror.')),
    start: () => assert.fail('it was started'),
  }
  await assert.rejects(openIncus(options), /There is no mirror\./)
})
