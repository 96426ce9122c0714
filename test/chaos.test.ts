import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { buildImage } from '@sandglass/machines/images'
import { installMissing, LocalEngine } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import { seeded } from '@sandglass/wire/testing'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { testImages, testShapes } from '../packages/server/src/testing/test-machines.ts'
import { type Credentials, call, ServiceProcess, temporaryFolder } from './support/service-process.ts'

/** `npm run soak:tests` has more. */
const kills = Number(process.env['CHAOS_KILLS'] ?? 5)
const seed = Number(process.env['CHAOS_SEED'] ?? 4780)

/** What is known of each sandbox from responses: it exists, it does not exist, or a call about it got no response. */
type Knowledge = Map<string, 'there' | 'gone' | 'unknown'>

/** How often each sandbox was extended: how many calls were answered, and how many were made. */
type Extensions = Map<string, { answered: number; made: number }>

/** Creates, restarts, extends and deletes sandboxes at random until the service is gone. */
async function act(
  credentials: Credentials,
  known: Knowledge,
  extensions: Extensions,
  random: () => number,
): Promise<void> {
  for (;;) {
    const ids = [...known].filter(([, fate]) => fate === 'there').map(([id]) => id)
    const id = ids[Math.floor(random() * ids.length)]
    const dice = random()
    if (id === undefined || (dice < 0.4 && ids.length < 6)) {
      const { status, body } = await call(credentials, 'POST', '~/sandboxes', {
        shape: dice < 0.2 ? 'warm' : 'small',
      })
      if (status === 0) return
      if (status === 200) known.set(body.id, 'there')
    } else if (dice < 0.6) {
      const counts = extensions.get(id) ?? { answered: 0, made: 0 }
      extensions.set(id, counts)
      counts.made++
      const { status } = await call(credentials, 'POST', `~/sandboxes/${id}/extend`, { maxLifeSeconds: 3000 })
      if (status === 0) return
      if (status === 200) counts.answered++
      // The other caller may have deleted it meanwhile.
      assert.ok(status === 200 || (status === 404 && known.get(id) !== 'there'), `extend answered ${status}`)
    } else if (dice < 0.75) {
      const { status } = await call(credentials, 'POST', `~/sandboxes/${id}/restart`)
      if (status === 0) return
    } else {
      known.set(id, 'unknown')
      const { status } = await call(credentials, 'DELETE', `~/sandboxes/${id}`)
      if (status === 0) return
      assert.equal(status, 200)
      known.set(id, 'gone')
    }
  }
}

test(`kill -9 at ${kills} random moments loses nothing that was acknowledged and leaves nothing behind`, {
  timeout: 30_000 * kills + 300_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  await installMissing()
  await buildImage('minimal', { imagesDir: testImages })
  const data = await temporaryFolder()
  const options = { dataDir: join(data, 'local'), imagesDir: testImages, uplink: 'none' } as const
  cleanup.defer(() => new LocalEngine(options).dismantle())
  const env = {
    SANDGLASS_MACHINES: 'local',
    SANDGLASS_START_TIMEOUT: '120',
    SANDGLASS_UPLINK: 'none',
    SANDGLASS_IMAGES: testImages,
    SANDGLASS_SHAPES: await testShapes(data, 1),
  }
  const random = seeded(seed)
  const known: Knowledge = new Map()
  const extensions: Extensions = new Map()

  // On a box of any speed, a fair number of sandboxes must be created meanwhile.
  for (let round = 0; round < kills || known.size < kills / 2; round++) {
    // After a timeout nothing may be started, since nobody would stop it.
    context.signal.throwIfAborted()
    const service = await ServiceProcess.start(data, env)
    const credentials = await service.credentials()
    const acting = [act(credentials, known, extensions, random), act(credentials, known, extensions, random)]
    await delay(random() * 700)
    await service.kill()
    await Promise.all(acting)
  }

  const service = await ServiceProcess.start(data, env)
  const credentials = await service.credentials()
  const list = async () =>
    (await call(credentials, 'GET', '~/sandboxes')).body as { id: string; status: string }[]
  await waitFor(async () => (await list()).every(({ status }) => status !== 'PENDING'))
  const sandboxes = new Map((await list()).map(({ id, status }) => [id, status]))
  for (const [id, fate] of known) {
    if (fate === 'there') assert.equal(sandboxes.get(id), 'RUNNING', `${id} was answered`)
    if (fate === 'gone') assert.ok(!sandboxes.has(id), `${id} was deleted`)
  }

  const { db, close } = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  cleanup.defer(close)
  const engine = new LocalEngine(options)
  await waitFor(async () => {
    const rows = await db.selectFrom('machines').select(['state']).execute()
    const settled = rows.every(({ state }) => state === 'ready' || state === 'claimed')
    return settled && rows.length === (await engine.list()).length
  })
  const claimed = await db.selectFrom('machines').select('id').where('state', '=', 'claimed').execute()
  assert.equal(claimed.length, sandboxes.size)
  const open = await db.selectFrom('usage_spans').select('sandbox_id').where('ended_at', 'is', null).execute()
  assert.deepEqual(new Set(open.map(({ sandbox_id: id }) => id)), new Set(sandboxes.keys()))

  const rows = await db.selectFrom('events').select(['type', 'subject']).execute()
  const count = (type: string, id: string) =>
    rows.filter(event => event.type === type && event.subject === id).length
  for (const [id, fate] of known) {
    assert.equal(count('sandbox.created', id), 1)
    if (fate !== 'unknown') assert.equal(count('sandbox.deleted', id), fate === 'gone' ? 1 : 0)
    const { answered, made } = extensions.get(id) ?? { answered: 0, made: 0 }
    const extended = count('sandbox.extended', id)
    assert.ok(extended >= answered && extended <= made, `${extended} events for ${answered} of ${made}`)
  }
  const created = rows.filter(({ type }) => type === 'sandbox.created').map(({ subject }) => subject)
  const ended = rows.filter(({ type }) => type === 'sandbox.deleted').map(({ subject }) => subject)
  const there = created.filter(id => !ended.includes(id))
  assert.deepEqual(there.toSorted(), [...sandboxes.keys()].toSorted())

  for (const id of sandboxes.keys())
    assert.equal((await call(credentials, 'DELETE', `~/sandboxes/${id}`)).status, 200)
  await waitFor(
    async () =>
      (await db.selectFrom('machines').select('id').where('state', '!=', 'ready').execute()).length === 0,
  )
  service.signal('SIGTERM')
  assert.equal(await service.exit(), 0)
})
