import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { LocalEngine } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import type { Sandbox, Volume } from '@sandglass/protocol'
import { seeded } from '@sandglass/wire/testing'
import { machineData } from './support/machine-process.ts'
import { type Credentials, call, remove, ServiceProcess } from './support/service-process.ts'

const kills = Number(process.env['CHAOS_KILLS'] ?? 4)
const seed = Number(process.env['CHAOS_SEED'] ?? 1817)

const kept = [{ name: 'kept', path: '/srv/kept' }]

async function run(credentials: Credentials, id: string, script: string) {
  const { status, body } = await call(credentials, 'POST', `~/sandboxes/${id}/process`, {
    executable: 'sh',
    args: ['-c', script],
  })
  return { status, output: Buffer.from(body?.stdoutBase64 ?? '', 'base64').toString() }
}

/** What responses have said about volumes and about lines in a file on one of them. */
interface Knowledge {
  readonly volumes: Map<string, 'there' | 'gone' | 'unknown'>
  readonly lines: string[]
}

/** Creates, uses and deletes volumes and sandboxes until the service is gone. */
async function act(credentials: Credentials, { volumes, lines }: Knowledge, random: () => number) {
  for (;;) {
    const [id] = [...volumes].find(([, fate]) => fate === 'there') ?? []
    if (id === undefined || random() < 0.5) {
      const body = { name: `volume ${Math.floor(random() * 1e9)}`, sizeMiB: 64 }
      const made = await call(credentials, 'POST', '~/volumes', body)
      if (made.status === 200) volumes.set(made.body.id, 'there')
    } else {
      volumes.set(id, 'unknown')
      const deleted = await call(credentials, 'DELETE', `~/volumes/${id}`)
      if (deleted.status === 200) volumes.set(id, 'gone')
    }
    const body = { shape: 'small', volumes: kept, wait: 30 }
    const { status, body: sandbox } = await call(credentials, 'POST', '~/sandboxes', body)
    if (status === 0) return
    if (status !== 200) {
      // The sandbox of before the kill still has the volume.
      for (const { id } of (await call(credentials, 'GET', '~/sandboxes')).body ?? [])
        await call(credentials, 'DELETE', `~/sandboxes/${id}`)
      continue
    }
    const line = String(Math.floor(random() * 1e9))
    const wrote = await run(
      credentials,
      sandbox.id,
      `cd /srv/kept && echo ${line} >> lines && sync . && cat lines`,
    )
    if (wrote.output.includes(line)) lines.push(line)
    await call(credentials, 'DELETE', `~/sandboxes/${sandbox.id}`)
  }
}

test(`kill -9 at ${kills} random moments loses nothing on a volume, and leaves no volume behind`, {
  timeout: 60_000 * kills + 300_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  const { data, env, engine } = await machineData()
  const random = seeded(seed)
  const knowledge: Knowledge = { volumes: new Map(), lines: [] }
  let service = await ServiceProcess.start(data, env)
  let credentials = await service.credentials()
  assert.equal((await call(credentials, 'POST', '~/volumes', { name: 'kept', sizeMiB: 64 })).status, 200)
  // On a box of any speed, something must have been written meanwhile. Until then each kill comes later than the one before.
  let slowness = 1
  for (let round = 0; round < kills || knowledge.lines.length === 0; round++) {
    context.signal.throwIfAborted()
    const acting = act(credentials, knowledge, random)
    await delay((1000 + random() * 3000) * slowness)
    await service.kill()
    await acting
    if (knowledge.lines.length === 0) slowness *= 2
    service = await ServiceProcess.start(data, env)
    credentials = await service.credentials()
  }

  const list = async (): Promise<Sandbox[]> => (await call(credentials, 'GET', '~/sandboxes')).body
  await waitFor(async () => (await list()).every(({ status }) => status !== 'PENDING'))
  for (const { id, status, reason } of await list()) {
    assert.equal(status, 'RUNNING', reason)
    await remove(credentials, `~/sandboxes/${id}`)
  }
  const volumes = async (): Promise<Volume[]> => (await call(credentials, 'GET', '~/volumes')).body
  await waitFor(async () => (await volumes()).every(({ status }) => status === 'READY'))
  const listed = new Set((await volumes()).map(({ id }) => id))
  for (const [id, fate] of knowledge.volumes) {
    if (fate === 'there') assert.ok(listed.has(id), `${id} was answered`)
    if (fate === 'gone') assert.ok(!listed.has(id), `${id} was deleted`)
  }
  await waitFor(async () => (await engine.volumes.list()).every(({ id }) => listed.has(id)))
  assert.equal((await engine.volumes.list()).length, listed.size)

  const { status, body: last } = await call(credentials, 'POST', '~/sandboxes', {
    shape: 'small',
    volumes: kept,
    wait: 60,
  })
  assert.deepEqual([status, last.status], [200, 'RUNNING'], JSON.stringify(last))
  const { output } = await run(credentials, last.id, 'cat /srv/kept/lines')
  const found = new Set(output.trim().split('\n'))
  context.diagnostic(`${knowledge.lines.length} lines, ${listed.size} volumes`)
  for (const line of knowledge.lines) assert.ok(found.has(line), `${line} was lost`)

  await remove(credentials, `~/sandboxes/${last.id}`)
  for (const id of listed) assert.equal((await call(credentials, 'DELETE', `~/volumes/${id}`)).status, 200)
  await waitFor(async () => (await engine.volumes.list()).length === 0 && (await engine.list()).length === 0)
  // The kernel lets go of a disk when its last user has, which may be after the call that asked for it.
  await waitFor(async () => (await volumesInUse(engine.settings)).length === 0).catch(async cause => {
    throw new Error(`they are still there: ${(await volumesInUse(engine.settings)).join(', ')}`, { cause })
  })
})

/** The volumes that are mounted, or have a device. */
async function volumesInUse({ runDir, dataDir }: LocalEngine['settings']): Promise<string[]> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n')
  const devices = await readdir('/sys/block')
  const files = await Promise.all(
    devices.map(device => readFile(`/sys/block/${device}/loop/backing_file`, 'utf8').catch(() => '')),
  )
  return [
    ...mounts.filter(mount => mount.includes(`${runDir}/volumes/`)),
    ...files.filter(file => file.includes(dataDir) && file.includes('/volumes/')),
  ]
}
