import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../testing/cleanup.ts'
import { embeddedAddress } from './embedded/server.ts'
import { DatabaseSilentError, SilenceWatch } from './silence.ts'

/** What a server sends that accepts a connection: authenticated, and ready for a query. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

test('a database that answers again counts as answering, even if it does not close the connection of the probe', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-silence-'))
  cleanup.defer(() => rm(folder, { recursive: true }))
  let isAnswering = false
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, socket => {
    sockets.add(socket.on('error', () => {}))
    socket.once('data', () => isAnswering && socket.write(welcome))
  }).listen(join(folder, '.s.PGSQL.5432'))
  await once(server, 'listening')
  cleanup.defer(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  const watch = new SilenceWatch(embeddedAddress(folder), () => {})
  cleanup.defer(() => watch.close())
  const during = (begin: () => Promise<void>) => watch.during(begin, { timeoutMs: patienceMs })
  await assert.rejects(
    during(() => new Promise(() => {})),
    DatabaseSilentError,
  )
  isAnswering = true
  await waitFor(() =>
    during(async () => {}).then(
      () => true,
      () => false,
    ),
  )
})
