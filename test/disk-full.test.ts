import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { smallDisk, waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { EmbeddedPostgres } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'

/** Enough changes that the database needs another page. */
const maxChanges = 900

const disk = await smallDisk(256)
cleanup.defer(() => disk.dispose())
const postgres = join(disk.folder, 'postgres')
const reports: string[] = []
const note = (message: string) => void reports.push(message)
const database = await EmbeddedPostgres.start(postgres, { info: note, warn: note })
cleanup.defer(() => database.stop())
const service = await startTestService({
  DATABASE_URL: `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(postgres)}`,
  SANDGLASS_DATA: join(disk.folder, 'data'),
  SANDGLASS_DISK_RESERVE: '64',
})

test('with a full disk changes are refused with the reason, and everything acknowledged is there afterwards', async () => {
  assert.equal((await service.get('/readyz')).status, 200)
  await disk.fill()
  const ready = await service.get('/readyz')
  assert.deepEqual([ready.status, ready.body.failed[0].check], [503, 'disk'])
  assert.match(ready.body.message, /The disk of the data directory is nearly full: \d+ MiB are free/)

  const acknowledged: string[] = []
  let refusal: Awaited<ReturnType<typeof service.post>> | undefined
  for (let i = 0; i < maxChanges && !refusal; i++) {
    const name = `project ${i}`
    const answer = await service.post('~/projects', { name })
    if (answer.status === 200) acknowledged.push(name)
    else refusal = answer
  }
  assert.deepEqual([refusal?.status, refusal?.body.code], [503, 'service.UNAVAILABLE'])
  assert.match(refusal?.body.message, /The database has no disk space left, and nothing was done/)

  await disk.empty()
  await waitFor(async () => (await service.get('/readyz')).status === 200)
  await waitFor(async () => (await service.post('~/projects', { name: 'at last' })).status === 200)
  const { body: projects } = await service.get('~/projects')
  const names = projects.map(({ name }: { name: string }) => name)
  assert.deepEqual(names.filter((name: string) => name.startsWith('project ')).sort(), acknowledged.sort())
  const { body: log } = await service.get('~/audit-log?operation=createProject&outcome=done&limit=1000')
  assert.equal(log.entries.length, acknowledged.length + 1)
})

test('a database that crashes because it cannot write its log is a 503, and recovers when there is space again', async () => {
  const kept = await service.post('~/projects', { name: 'kept' })
  assert.equal(kept.status, 200)
  await disk.fill()
  // Each switch uses another log segment, until there is no space for one.
  await assert.rejects(async () => {
    for (let i = 0; i < 100; i++) {
      await sql`SELECT pg_logical_emit_message(true, 'test', repeat('x', 100000))`.execute(service.pool.db)
      await sql`SELECT pg_switch_wal()`.execute(service.pool.db)
    }
  })
  const acknowledged: string[] = [kept.body.id]
  for (let i = 0; i < 20; i++) {
    const { status, body } = await service.post('~/projects', { name: `during ${i}` })
    // The database may find some space of its own, and a commit that its crash interrupted may have been made.
    assert.ok([200, 503, 504].includes(status), `${status} ${body?.message}`)
    if (status === 200) acknowledged.push(body.id)
  }
  assert.equal((await service.get('/readyz')).status, 503)

  await disk.empty()
  let text = ''
  await waitFor(async () => {
    const answer = await service.post('~/projects', { name: 'back' })
    text = answer.text
    return answer.status === 200
  }).catch(cause => {
    throw new Error(`${text}\n${reports.slice(-20).join('\n')}`, { cause })
  })
  const { body: projects } = await service.get('~/projects')
  const ids = new Set(projects.map(({ id }: { id: string }) => id))
  assert.deepEqual(
    acknowledged.filter(id => !ids.has(id)),
    [],
  )
})
