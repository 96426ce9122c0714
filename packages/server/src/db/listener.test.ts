import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { cleanup } from '../testing/cleanup.ts'
import { openPool } from './database.ts'
import { EmbeddedPostgres, embeddedAddress } from './embedded/server.ts'
import { Listener } from './listener.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-listener-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const server = await EmbeddedPostgres.start(folder, { info: () => {}, warn: console.warn })
cleanup.defer(() => server.stop())
const pool = openPool(embeddedAddress(folder), () => {})
cleanup.defer(() => pool.close())
const announce = (word: string) => sql`SELECT pg_notify('words', ${word})`.execute(pool.db)

async function listenAt(folderOfSocket: string): Promise<{ listener: Listener; heard: string[] }> {
  const heard: string[] = []
  const listener = new Listener(
    embeddedAddress(folderOfSocket),
    { words: word => heard.push(word) },
    () => {},
  )
  await listener.connect()
  cleanup.defer(() => listener.close())
  return { listener, heard }
}

test('a listener that has caught up has received everything that was announced before', async () => {
  const { listener, heard } = await listenAt(folder)
  for (let i = 0; i < 200; i++) {
    // If the server stalls for about a second, `caughtUp` stops waiting, so announce again until it has caught up.
    await waitFor(async () => {
      await announce(`word ${i}`)
      await listener.caughtUp()
      return listener.isFresh()
    })
    assert.equal(heard.at(-1), `word ${i}`)
  }
  const together = Array.from({ length: 50 }, async (_, i) => {
    await waitFor(async () => {
      await announce(`together ${i}`)
      await listener.caughtUp()
      return listener.isFresh()
    })
    assert.ok(heard.includes(`together ${i}`))
  })
  await Promise.all(together)
})

test('callers do not wait for a connection that has gone silent, and a new connection replaces it', async () => {
  const folderOfSocket = await mkdtemp(join(tmpdir(), 'sandglass-silent-'))
  cleanup.defer(() => rm(folderOfSocket, { recursive: true, force: true }))
  const sockets: Socket[] = []
  const between = createServer(client => {
    const database = connect(join(folder, '.s.PGSQL.5432'))
    for (const socket of [client, database]) sockets.push(socket.on('error', () => {}))
    client.pipe(database).pipe(client)
  }).listen(join(folderOfSocket, '.s.PGSQL.5432'))
  await once(between, 'listening')
  cleanup.defer(() => {
    for (const socket of sockets) socket.destroy()
    between.close()
  })
  const { listener, heard } = await listenAt(folderOfSocket)
  await waitFor(async () => listener.isFresh())
  for (const socket of sockets) socket.unpipe()
  await listener.caughtUp()
  assert.equal(listener.isFresh(), false)
  await waitFor(async () => {
    await announce('heard again')
    await listener.caughtUp()
    return heard.includes('heard again')
  })
  await waitFor(async () => listener.isFresh())
})
