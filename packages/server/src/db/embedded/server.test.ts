import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import pg from 'pg'
import { cleanup } from '../../testing/cleanup.ts'
import { EmbeddedPostgres, embeddedAddress } from './server.ts'
import { systemUser } from './unprivileged.ts'

const home = await mkdtemp(join(tmpdir(), 'sandglass-embedded-'))
cleanup.defer(() => rm(home, { recursive: true }))
const folder = join(home, 'postgres')
const cluster = join(folder, 'cluster')
const silent = { info: () => {}, warn: () => {} }

async function start(): Promise<AsyncDisposable> {
  const server = await EmbeddedPostgres.start(folder, silent)
  return { [Symbol.asyncDispose]: () => server.stop() }
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(embeddedAddress(folder).config)
  client.on('error', () => {})
  await client.connect()
  return client
}

async function answer(): Promise<unknown> {
  const client = await connect()
  try {
    return (await client.query('SELECT 1 AS one')).rows
  } finally {
    await client.end()
  }
}

const works = () =>
  answer().then(
    () => true,
    () => false,
  )

/** The process of the server itself. */
async function postmaster(): Promise<number> {
  const [first] = (await readFile(join(cluster, 'postmaster.pid'), 'utf8')).split('\n')
  return Number(first)
}

async function backend(client: pg.Client): Promise<number> {
  return (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid
}

test('a crash of one process is followed by a new server', async () => {
  await using _ = await start()
  const before = await postmaster()
  const client = await connect()
  const ended = new Promise(resolve => client.once('end', resolve))
  process.kill(await backend(client), 'SIGKILL')
  await ended
  await waitFor(works)
  assert.notEqual(await postmaster(), before)
})

test('lock files that name a process of another program, or nothing, do not keep a server from starting', async () => {
  const { uid, gid } = await systemUser()
  const other = spawn('sleep', ['1000'], { uid, gid, stdio: 'ignore' })
  await once(other, 'spawn')
  const files = [join(cluster, 'postmaster.pid'), join(folder, '.s.PGSQL.5432.lock')]
  try {
    for (const content of [`${other.pid}\n`, '']) {
      for (const file of files) await writeFile(file, content)
      await using _ = await start()
      assert.deepEqual(await answer(), [{ one: 1 }])
    }
  } finally {
    other.kill()
  }
})

test('a process that outlives its server and does not notice it is ended, and a new server starts', async () => {
  await using _ = await start()
  const client = await connect()
  const pid = await backend(client)
  process.kill(pid, 'SIGSTOP')
  process.kill(await postmaster(), 'SIGKILL')
  await waitFor(works)
  client.connection.stream.destroy()
})

test('a server that is closed while it waits for its predecessor does not start any more', async () => {
  const stopped = Promise.withResolvers<void>()
  const info = (text: string) => {
    if (text.includes('waiting for the previous database')) stopped.resolve(server.stop())
  }
  const server = await EmbeddedPostgres.start(folder, { ...silent, info })
  const client = await connect()
  const pid = await backend(client)
  process.kill(pid, 'SIGSTOP')
  const before = await postmaster()
  process.kill(before, 'SIGKILL')
  await stopped.promise
  assert.equal(await postmaster(), before)
  process.kill(pid, 'SIGKILL')
  client.connection.stream.destroy()
})
