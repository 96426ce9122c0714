import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Sandglass } from '@sandglass/client'
import { LocalEngine, LocalTransfer } from '@sandglass/machines/local'
import { patienceMs, waitFor } from '@sandglass/machines/testing'
import { seeded } from '@sandglass/wire/testing'
import { BackupKey } from '../packages/server/src/backups/backup-key.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { testShapes } from '../packages/server/src/testing/test-machines.ts'
import { EffectSandbox } from './effects/effect-sandbox.ts'
import { machineData, makeSandboxes, stop } from './support/machine-process.ts'
import { type Credentials, call, ServiceProcess, temporaryFolder } from './support/service-process.ts'

/** `npm run soak:tests` has more. */
const kills = Number(process.env['CHAOS_KILLS'] ?? 2)
const seed = Number(process.env['CHAOS_SEED'] ?? 4780)
const random = seeded(seed)

type Kind = 'sandboxes' | 'api-keys' | 'webhooks' | 'projects'
interface Known {
  readonly kind: Kind
  readonly fate: 'there' | 'gone' | 'unknown'
  /** An API key. */
  readonly secret?: string
}
/** What is known from responses, by id. */
type Knowledge = ReadonlyMap<string, Known>

const bodies: Readonly<Record<Kind, object>> = {
  sandboxes: { shapeName: 'small' },
  'api-keys': { name: 'chaos', role: 'viewer' },
  // Nothing of this kind happens, so nothing is delivered.
  webhooks: { url: 'http://127.0.0.1:9/', types: ['volume.*'] },
  projects: { name: 'chaos' },
}

/** Creates and deletes at random until the service is gone or the work is over. */
async function act(credentials: Credentials, known: Map<string, Known>, over: AbortSignal): Promise<void> {
  const kinds = ['sandboxes', 'api-keys', 'api-keys', 'webhooks', 'webhooks', 'projects'] as const
  while (!over.aborted) {
    const kind = kinds[Math.floor(random() * kinds.length)] ?? 'projects'
    const there = [...known].filter(([, one]) => one.kind === kind && one.fate === 'there')
    const [id, one] = there[Math.floor(random() * there.length)] ?? []
    if (!id || !one || (random() < 0.6 && there.length < (kind === 'sandboxes' ? 3 : 20))) {
      const { status, body } = await call(credentials, 'POST', `~/${kind}`, bodies[kind])
      if (status === 0) return
      if (status === 200) known.set(body.id, { kind, fate: 'there', secret: body.apiKey })
      // A box that is busy refuses a sandbox for a while.
      else
        assert.ok(kind === 'sandboxes' && status === 503, `POST ${kind}: ${status} ${JSON.stringify(body)}`)
    } else {
      known.set(id, { ...one, fate: 'unknown' })
      const { status } = await call(credentials, 'DELETE', `~/${kind}/${id}`)
      if (status === 0) return
      assert.ok(status === 200 || status === 204, `DELETE ${kind}: ${status}`)
      known.set(id, { ...one, fate: 'gone' })
    }
  }
}

/** The settings of every program that has to do with the backups. */
const folder = await temporaryFolder()
const place = join(folder, 'backups')
const keyFile = join(folder, 'key')
await writeFile(keyFile, BackupKey.generate().text, { mode: 0o600 })
const settings: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  SANDGLASS_BACKUP_KEY_FILE: keyFile,
  SANDGLASS_DISK_RESERVE: '0',
  SANDGLASS_RATE_LIMIT: '1000000',
  SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32',
}

interface Ran {
  /** Null if it was killed. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ran>
}

/** Starts a command for operators. */
function start(script: 'backup' | 'restore', env: Record<string, string>, ...args: string[]): Running {
  const program = join(import.meta.dirname, '../packages/server/src', `${script}.ts`)
  const child = spawn(process.execPath, [program, ...args], { env: { ...settings, ...env } })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', chunk => {
      printed[name] += chunk
    })
  cleanup.defer(() => void child.kill('SIGKILL'))
  return { child, ended: once(child, 'close').then(([code]) => ({ code, ...printed })) }
}

async function imageOf(credentials: Credentials): Promise<string> {
  const [sandboxId = ''] = await makeSandboxes(credentials, 1)
  await new EffectSandbox(new Sandglass(credentials), sandboxId).run('echo of the image > kept')
  const { body } = await call(credentials, 'POST', '~/machine-images', { sandboxId, name: 'saved' })
  await waitFor(async () => {
    const { images } = (await call(credentials, 'GET', '~/machine-images')).body
    return images.some((one: { id: string; status: string }) => one.id === body.id && one.status === 'READY')
  })
  return body.id
}

/** What the listing of a kind contains, by id. */
async function listed(credentials: Credentials, kind: Kind): Promise<Map<string, { status?: string }>> {
  const { status, body } = await call(credentials, 'GET', `~/${kind}`)
  assert.equal(status, 200)
  const rows: { id: string; status?: string }[] = [body, ...Object.values(body)].find(Array.isArray) ?? []
  return new Map(rows.map(row => [row.id, row]))
}

test(`backups made while the service or the backup is killed at ${kills} random moments have all that was acknowledged before, elsewhere`, {
  timeout: 120_000 * kills + 600_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  const { data, env: ofMachines, engine } = await machineData()
  const env = { ...settings, ...ofMachines, SANDGLASS_DATA: data }
  const backUp = () => start('backup', env, '--to', place, '--images')
  const known = new Map<string, Known>()
  let service = await ServiceProcess.start(data, env)
  let credentials = await service.credentials()
  const imageId = await imageOf(credentials)
  const complete: string[] = []
  const finish = async ({ ended }: Running) => {
    const { code, stdout, stderr } = await ended
    if (code === 0) complete.push(/^\d{8}T\S+/m.exec(stdout)?.[0] ?? assert.fail(stdout))
    // Whoever was not killed says what is wrong.
    else if (code !== null) assert.match(stderr, /^\S.*\.?\n$/)
    return { code, stderr }
  }
  const began = performance.now()
  assert.deepEqual(await finish(backUp()), { code: 0, stderr: '' })
  const tookMs = performance.now() - began

  for (let round = 0; round < kills; round++) {
    context.signal.throwIfAborted()
    const over = new AbortController()
    const acting = [0, 1].map(() => act(credentials, known, over.signal))
    await waitFor(async () => known.size >= 10 * (round + 1))
    const backup = backUp()
    await delay(random() * tookMs)
    if (round % 2 === 0) {
      await service.kill()
      await Promise.all(acting)
      await finish(backup)
      service = await ServiceProcess.start(data, env)
      credentials = await service.credentials()
    } else {
      backup.child.kill('SIGKILL')
      await finish(backup)
      over.abort()
      await Promise.all(acting)
    }
  }

  const over = new AbortController()
  const acting = [0, 1].map(() => act(credentials, known, over.signal))
  await waitFor(async () => known.size >= 10 * (kills + 1))
  const before: Knowledge = new Map(known)
  assert.deepEqual(await finish(backUp()), { code: 0, stderr: '' })
  over.abort()
  await Promise.all(acting)
  await stop(service)
  // A backup that was killed may be complete, and whatever is listed is.
  const ids = await readdir(join(place, 'backups'))
  assert.deepEqual(
    complete.filter(id => !ids.includes(id)),
    [],
  )
  for (const id of ids) {
    const { code, stdout, stderr } = await start('backup', env, '--to', place, '--verify', '--id', id).ended
    assert.deepEqual([code, stdout], [0, `The backup ${id} is complete.\n`], stderr)
  }
  await engine.dismantle()
  await rm(data, { recursive: true })

  const there = join(await temporaryFolder(), 'data')
  const options = { dataDir: join(there, 'local'), imagesDir: join(there, 'images'), uplink: 'none' } as const
  cleanup.defer(async () => {
    await new LocalEngine(options).dismantle()
    await new LocalTransfer({ ...options, readyTimeoutMs: patienceMs }).abandon()
  })
  const { SANDGLASS_IMAGES: _, ...others } = ofMachines
  const elsewhere = {
    ...settings,
    ...others,
    SANDGLASS_DATA: there,
    SANDGLASS_SHAPES: await testShapes(folder, 0),
  }
  const restored = await start('restore', elsewhere, '--from', place).ended
  assert.equal(restored.code, 0, restored.stderr)
  const running = await ServiceProcess.start(there, elsewhere)
  const after = await running.credentials()
  assert.equal(after.apiKey, credentials.apiKey)
  const kinds = new Map<Kind, Map<string, { status?: string }>>()
  for (const kind of ['sandboxes', 'api-keys', 'webhooks', 'projects'] as const)
    kinds.set(kind, await listed(after, kind))
  for (const [id, { kind, fate, secret }] of before) {
    const found = kinds.get(kind)?.get(id)
    if (fate === 'gone') assert.equal(found, undefined, `${kind} ${id} was deleted`)
    // What was deleted while the backup was made may be in it, or not.
    if (fate !== 'there' || known.get(id)?.fate !== 'there') continue
    assert.ok(found, `${kind} ${id} was answered`)
    if (kind === 'sandboxes') assert.equal(found.status, 'ERROR')
    if (secret) assert.equal((await call(after, 'GET', '~/projects', undefined, secret)).status, 200)
  }
  // Whoever tries many keys that are not valid is refused for a while.
  const [revoked] = [...before.values()].filter(({ fate, secret }) => fate === 'gone' && secret)
  assert.ok(revoked)
  assert.equal((await call(after, 'GET', '~/projects', undefined, revoked.secret)).status, 401)

  const from = { imageId, name: 'copy', maxLifeSeconds: 600, wait: 60 }
  const { body } = await call(after, 'POST', '~/sandboxes/from-image', from)
  const copy = new EffectSandbox(new Sandglass(after), body.id ?? body.sandbox.id)
  let content = ''
  await waitFor(async () => {
    content = await copy.run('cat kept').catch(() => '')
    return content !== ''
  })
  assert.equal(content, 'of the image\n')
  await stop(running)
})
