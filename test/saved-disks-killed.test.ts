import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import type { ForkResult, Image, Sandbox, Snapshot } from '@sandglass/protocol'
import { seeded } from '@sandglass/wire/testing'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { machineData, makeSandboxes } from './support/machine-process.ts'
import { type Credentials, call, remove, ServiceProcess } from './support/service-process.ts'

const kills = Number(process.env['CHAOS_KILLS'] ?? 4)
const seed = Number(process.env['CHAOS_SEED'] ?? 4780)

/** What responses have said: it exists, it does not exist, or a call about it got no response. */
type Knowledge = Map<string, 'there' | 'gone' | 'unknown'>

const readable = async (credentials: Credentials, id: string) => {
  const { body } = await call(credentials, 'POST', `~/sandboxes/${id}/process`, {
    executable: 'cat',
    args: ['note'],
  })
  return Buffer.from(body?.stdoutBase64 ?? '', 'base64')
    .toString()
    .trim()
}

/** Saves, restores, forks and hibernates a sandbox at random, until the service is gone. */
async function act(
  credentials: Credentials,
  source: string,
  images: Knowledge,
  random: () => number,
): Promise<void> {
  const at = `~/sandboxes/${source}`
  for (;;) {
    const ids = [...images].filter(([, fate]) => fate === 'there').map(([id]) => id)
    const [id = ''] = ids
    const dice = random()
    let status: number
    if (dice < 0.3 && ids.length < 4) {
      const answer = await call(credentials, 'POST', '~/machine-images', { sandboxId: source, name: 'kept' })
      status = answer.status
      if (status === 200) images.set(answer.body.id, 'there')
    } else if (dice < 0.4 && id !== '') {
      images.set(id, 'unknown')
      status = (await call(credentials, 'DELETE', `~/machine-images/${id}`)).status
      if (status === 204) images.set(id, 'gone')
    } else if (dice < 0.55) status = (await call(credentials, 'POST', `${at}/snapshots`, {})).status
    else if (dice < 0.7) {
      const { body } = await call(credentials, 'GET', `${at}/snapshots`)
      const ready = body?.find((snapshot: Snapshot) => snapshot.status === 'READY')
      status = (await call(credentials, 'POST', `${at}/restore`, { snapshotId: ready?.id ?? 'none' })).status
    } else if (dice < 0.85) {
      const answer = await call(credentials, 'POST', `${at}/fork`, { count: 2 })
      status = answer.status
      for (const result of (answer.body?.results ?? []) as ForkResult[])
        if ('sandbox' in result) await call(credentials, 'DELETE', `~/sandboxes/${result.sandbox.id}`)
    } else {
      await call(credentials, 'POST', `${at}/hibernate`)
      status = (await call(credentials, 'POST', `${at}/resume`)).status
    }
    if (status === 0) return
  }
}

test(`kill -9 at ${kills} random moments leaves nothing half-made and no saved disk behind`, {
  timeout: 60_000 * kills + 300_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  const { data, env, engine } = await machineData()
  const random = seeded(seed)
  const images: Knowledge = new Map()
  let service = await ServiceProcess.start(data, env)
  let credentials = await service.credentials()
  const [source = ''] = await makeSandboxes(credentials, 1)
  await call(credentials, 'POST', `~/sandboxes/${source}/process`, {
    executable: 'sh',
    args: ['-c', 'echo kept > note; sync'],
  })

  for (let round = 0; round < kills; round++) {
    context.signal.throwIfAborted()
    const acting = act(credentials, source, images, random)
    await delay(500 + random() * 2500)
    await service.kill()
    await acting
    service = await ServiceProcess.start(data, env)
    credentials = await service.credentials()
  }

  const list = async (): Promise<Sandbox[]> => (await call(credentials, 'GET', '~/sandboxes')).body
  await waitFor(async () => (await list()).every(({ status }) => status !== 'PENDING'))
  for (const { id, status, reason } of await list())
    assert.ok(
      status === 'RUNNING' || (id === source && status === 'STOPPED'),
      `${id} is ${status}: ${reason}`,
    )
  await call(credentials, 'POST', `~/sandboxes/${source}/resume`)
  assert.equal(await readable(credentials, source), 'kept')

  const { body } = await call(credentials, 'GET', '~/machine-images')
  const { body: snapshots } = await call(credentials, 'GET', `~/sandboxes/${source}/snapshots`)
  const saved: (Image | Snapshot)[] = [...body.images, ...snapshots]
  for (const { id, status, reason } of saved)
    assert.ok(status === 'READY' || (status === 'ERROR' && reason), `${id} is ${status}`)
  const listed = new Map((body.images as Image[]).map(({ id, status }) => [id, status]))
  for (const [id, fate] of images) {
    if (fate === 'there') assert.equal(listed.get(id), 'READY', `${id} was answered`)
    if (fate === 'gone') assert.ok(!listed.has(id), `${id} was deleted`)
  }
  const ready = saved.filter(({ status }) => status === 'READY').length
  context.diagnostic(`${ready} of ${saved.length} disks are READY, ${(await list()).length} sandboxes`)
  await waitFor(async () => (await engine.snapshots.list()).length === ready)

  const pool = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  cleanup.defer(() => pool.close())
  const disks = await pool.db.selectFrom('saved_disks').select('state').execute()
  assert.deepEqual(
    disks.map(({ state }) => state),
    Array(ready).fill('ready'),
  )
  const usable = [...listed].find(([, status]) => status === 'READY')
  if (usable) {
    const { body: made } = await call(credentials, 'POST', '~/sandboxes/from-image', {
      imageId: usable[0],
      name: 'copy',
      maxLifeSeconds: 600,
      wait: 60,
    })
    assert.equal(made.sandbox.status, 'RUNNING', made.sandbox.reason)
    assert.equal(await readable(credentials, made.sandbox.id), 'kept')
  }

  for (const { id } of await list()) await remove(credentials, `~/sandboxes/${id}`)
  for (const id of listed.keys()) await remove(credentials, `~/machine-images/${id}`)
  await waitFor(
    async () => (await engine.snapshots.list()).length === 0 && (await engine.list()).length === 0,
  )
})
