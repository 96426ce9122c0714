import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import type { Image } from '@sandglass/protocol'
import { seeded } from '@sandglass/wire/testing'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { imageFileWith, layerOf } from '../packages/server/src/modules/images/files/testing/archives.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { machineData } from './support/machine-process.ts'
import { type Credentials, call, remove, ServiceProcess } from './support/service-process.ts'

const kills = Number(process.env['CHAOS_KILLS'] ?? 3)
const seed = Number(process.env['CHAOS_SEED'] ?? 6021)

/** Calls the service, and returns the response to its end. Undefined if the service ended before. */
async function send(
  { url, orgId, apiKey }: Credentials,
  path: string,
  init: RequestInit,
): Promise<{ readonly status: number; readonly text: string } | undefined> {
  try {
    const headers = { ...init.headers, 'x-api-key': apiKey }
    const response = await fetch(`${url}/api/orgs/${orgId}/machine-images${path}`, { ...init, headers })
    return { status: response.status, text: await response.text() }
  } catch {
    return undefined
  }
}

const buildOne = (credentials: Credentials) =>
  send(credentials, '/build', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ from: { shapeName: 'small' }, steps: [{ run: 'true' }], name: 'exported' }),
  })

const importOne = (credentials: Credentials, name: string) =>
  send(credentials, `/import?name=${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    // Most of it is content, so that receiving it takes a while.
    body: new Uint8Array(file),
  })

const random = seeded(seed)
const file = imageFileWith(layerOf([{ name: 'srv/file', content: randomBytes(8 << 20) }]))

test(`kill -9 at ${kills} moments of exports and imports leaves no machine, no disk and nothing in the spool`, {
  timeout: 120_000 * kills + 300_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  const { data, env, engine } = await machineData()
  let service = await ServiceProcess.start(data, env)
  let credentials = await service.credentials()
  assert.match((await buildOne(credentials))?.text ?? '', /"event":"finished"/)
  const list = async (): Promise<Image[]> => (await call(credentials, 'GET', '~/machine-images')).body.images
  const [exported] = await list()
  assert.ok(exported)

  const answered: string[] = []
  for (let round = 0; round < kills; round++) {
    context.signal.throwIfAborted()
    const working = Promise.all([
      send(credentials, `/${exported.id}/export`, {}),
      importOne(credentials, `round-${round}`).then(answer => {
        if (answer?.status === 200) answered.push(JSON.parse(answer.text).id)
      }),
    ])
    // Some of these moments are before the first machine.
    if (round % 2 === 1) await waitFor(async () => (await engine.list()).length > 0)
    await delay(random() * 3000)
    await service.kill()
    await working
    service = await ServiceProcess.start(data, env)
    credentials = await service.credentials()
    assert.deepEqual(await readdir(join(data, 'spool')), [])
  }

  await waitFor(async () => (await engine.list()).length === 0)
  const images = await list()
  for (const { id, status, reason } of images)
    if (status !== 'READY')
      assert.deepEqual(
        [id, status, reason],
        [id, 'ERROR', 'The service ended while the image was being made.'],
      )
  const ready = images.filter(({ status }) => status === 'READY').map(({ id }) => id)
  for (const id of [exported.id, ...answered]) assert.ok(ready.includes(id), `${id} was answered`)
  context.diagnostic(`${answered.length} imports were answered, ${images.length} images are listed`)
  await waitFor(async () => (await engine.snapshots.list()).length === ready.length)
  const pool = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  cleanup.defer(() => pool.close())
  const disks = await pool.db.selectFrom('saved_disks').select('state').execute()
  assert.deepEqual(
    disks.map(({ state }) => state),
    Array(ready.length).fill('ready'),
  )
  // Both still work.
  assert.equal((await importOne(credentials, 'last'))?.status, 200)
  for (const { id } of await list()) await remove(credentials, `~/machine-images/${id}`)
  // The disk of the build stays, because the next build with the same steps uses it.
  await waitFor(
    async () => (await engine.snapshots.list()).length === 1 && (await engine.list()).length === 0,
  )
})
