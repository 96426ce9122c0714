import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MachineHandle } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { assistant, madeServer, use } from '../../../testing/assistant.ts'
import { viewerOf } from '../../../testing/live-viewer.ts'
import { makeSandbox } from '../../../testing/make-sandbox.ts'
import { resolveNamesToLoopback } from '../../../testing/names.ts'
import { openMachine } from '../../../testing/running-sandbox.ts'
import { runIn } from '../../../testing/sandbox-programs.ts'
import { startMachineService } from '../../../testing/test-machines.ts'
import type { Answer } from '../../../testing/test-service.ts'
import { RuledSandbox } from './testing/rules.ts'

resolveNamesToLoopback()
const machines = await startMachineService({ env: { SANDGLASS_PAUSED_HOURS: '48' } })
const { service, engine } = machines
const rules = { onTimeout: 'pause', autoResume: true }
const hour = 3_600_000

const code = ({ status, body }: Answer) => [status, body?.code]

async function create(lifecycle: object = rules, choices: object = {}): Promise<RuledSandbox> {
  return new RuledSandbox(service, await makeSandbox(service, { maxLifeSeconds: 600, lifecycle, ...choices }))
}

async function machineOf(id: string): Promise<string> {
  const { handle } = await service.pool.db
    .selectFrom('machines')
    .innerJoin('sandboxes', 'sandboxes.machine_id', 'machines.id')
    .select('machines.handle')
    .where('sandboxes.id', '=', id)
    .executeTakeFirstOrThrow()
  return handle ? (await engine.inspect(handle)).status : 'none'
}

test('when its time is up, a sandbox is paused with its memory, kept for a while, and not billed', async () => {
  const sandbox = await create({ onTimeout: 'pause' })
  const { path } = sandbox
  const started = 'sleep 1000 >/dev/null 2>&1 & echo $!'
  const { stdout: pid } = await runIn(service, path, { executable: 'sh', args: ['-c', started] })
  const before = Date.now()
  await sandbox.putToSleep()
  assert.equal(await machineOf(sandbox.id), 'paused')
  const shown = await sandbox.shown()
  assert.deepEqual([shown?.status, shown?.paused], ['STOPPED', true])
  assert.match(shown?.reason ?? '', /time was up/)
  assert.deepEqual(shown?.lifecycle, { onTimeout: 'pause', autoResume: false, onIdle: 'delete' })
  const keptMs = Date.parse(shown?.expiresAt ?? '') - before
  assert.ok(keptMs > 47 * hour && keptMs < 49 * hour, String(keptMs))
  const [span, ...more] = await sandbox.spans()
  assert.ok(span?.to !== undefined && span.to <= Date.now())
  assert.deepEqual(more, [])

  assert.deepEqual(code(await service.post(`${path}/process`, { executable: 'true' })), [
    409,
    'sandbox.STATE',
  ])
  assert.equal((await service.post(`${path}/resume`)).status, 200)
  const { expires_at: expiresAt } = await sandbox.required()
  const lifeMs = expiresAt.getTime() - Date.now()
  assert.ok(lifeMs > 0 && lifeMs <= 600_000, 'it has the time again that it was created with')
  const alive = { executable: 'kill', args: ['-0', pid.trim()] }
  assert.equal((await runIn(service, path, alive)).exitCode, 0)
  assert.deepEqual(await sandbox.operations(), ['pauseSandbox timeout'])
  await service.remove(path)
})

test('every kind of call wakes a paused sandbox, and nothing is billed twice', async () => {
  const sandbox = await create()
  const { path } = sandbox
  const machine = await openMachine(machines, sandbox.id)
  const server = 'python3 -m http.server 8000 --bind 127.0.0.1'
  await machine.exec({ executable: 'sh', args: ['-c', server], detached: true })
  machine.close()
  const mapping = (await service.post(`${path}/mappings`, { targetEndpoint: '127.0.0.1:8000' })).body
  const mapped = () =>
    fetch(`http://${mapping.domain}/`, { headers: { 'x-gateway-access-token': mapping.accessToken } })
  await waitFor(async () => (await mapped()).status === 200)
  const mcpServer = await madeServer(service)
  await service.post(`~/mcp-servers/${mcpServer.id}/sandbox`, { sandboxId: sandbox.id })
  const client = await assistant(service, mcpServer.id)

  const calls: Record<string, () => Promise<number>> = {
    action: async () =>
      (await service.post(`${path}/actions/execute`, { action: { type: 'wait', duration: 1 } })).status,
    preview: async () => (await service.post(`${path}/preview`)).status,
    file: async () => (await service.get(`${path}/files?path=.`)).status,
    process: async () => (await service.post(`${path}/process`, { executable: 'true' })).status,
    shell: async () => (await service.post(`${path}/shell`, { command: 'true' })).status,
    mapping: async () => (await mapped()).status,
    tool: async () => ((await use(client, 'shell', { command: 'true' })).isError ? 500 : 200),
    viewer: async () => {
      const viewer = await viewerOf(service, path)
      await waitFor(async () => (await sandbox.required()).status === 'RUNNING')
      viewer.close()
      return 200
    },
  }
  for (const [kind, call] of Object.entries(calls)) {
    await sandbox.putToSleep()
    assert.equal(await call(), 200, kind)
    const { status, kept, expires_at: expiresAt } = await sandbox.required()
    assert.deepEqual([status, kept], ['RUNNING', false], kind)
    const lifeMs = expiresAt.getTime() - Date.now()
    assert.ok(lifeMs > 0 && lifeMs <= 600_000, kind)
  }
  const spans = await sandbox.spans()
  assert.equal(spans.length, Object.keys(calls).length + 1)
  for (const [at, { from }] of spans.entries())
    if (at > 0) assert.ok((spans[at - 1]?.to ?? Number.POSITIVE_INFINITY) <= from, 'spans do not overlap')
  assert.equal(spans.filter(({ to }) => to === undefined).length, 1)
  await service.remove(path)
})

test('the input of a viewer who stayed wakes a paused sandbox', async () => {
  const sandbox = await create()
  const viewer = await viewerOf(service, sandbox.path)
  await viewer.takeControl()
  await sandbox.putToSleep()
  await viewer.until(() => viewer.last('machine')?.isThere === false)
  viewer.do({ type: 'pointer', x: 10, y: 10, buttons: 0 })
  await waitFor(async () => (await sandbox.required()).status === 'RUNNING')
  viewer.close()
  await service.remove(sandbox.path)
})

test('calls that come at the same time share one wake', async t => {
  const sandbox = await create()
  await sandbox.putToSleep()
  const resume = t.mock.method(engine, 'resume')
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => service.post(`${sandbox.path}/process`, { executable: 'true' })),
  )
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(resume.mock.callCount(), 1)
  assert.deepEqual(await sandbox.operations(), ['pauseSandbox timeout', 'resumeSandbox autoResume'])
  await service.remove(sandbox.path)
})

test('a call that comes while the sandbox is being paused wakes it, and one that runs is finished first', async t => {
  const sandbox = await create()
  const [began, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const pause = engine.pause.bind(engine)
  t.mock.method(engine, 'pause', async (handle: MachineHandle) => {
    began.resolve()
    await allowed.promise
    await pause(handle)
  })
  const run = (script: string) =>
    service.post(`${sandbox.path}/process`, { executable: 'sh', args: ['-c', script] })
  const running = run('touch begun; sleep 1')
  await waitFor(async () => (await service.get(`${sandbox.path}/files/content?path=begun`)).status === 200)
  await sandbox.letExpire()
  await began.promise
  assert.equal((await running).status, 200, 'it was not paused before the call had ended')
  const late = run('echo served')
  allowed.resolve()
  const answer = await late
  assert.equal(answer.status, 200, answer.text)
  assert.equal(Buffer.from(answer.body.stdoutBase64, 'base64').toString(), 'served\n')
  assert.deepEqual(await sandbox.operations(), ['pauseSandbox timeout', 'resumeSandbox autoResume'])
  await service.remove(sandbox.path)
})

test('an extension at the moment of the pause lets the sandbox run on', async t => {
  const sandbox = await create()
  const pause = engine.pause.bind(engine)
  const paused = Promise.withResolvers<void>()
  t.mock.method(engine, 'pause', async (handle: MachineHandle) => {
    await pause(handle)
    assert.equal((await service.post(`${sandbox.path}/extend`, { maxLifeSeconds: 700 })).status, 200)
    paused.resolve()
  })
  await sandbox.letExpire()
  await paused.promise
  await waitFor(async () => (await machineOf(sandbox.id)) === 'running')
  assert.equal((await sandbox.required()).status, 'RUNNING')
  assert.equal((await service.post(`${sandbox.path}/process`, { executable: 'true' })).status, 200)
  await service.remove(sandbox.path)
})

test('a machine that cannot be paused is hibernated, and a call starts it with its files', async t => {
  const sandbox = await create()
  await runIn(service, sandbox.path, { executable: 'sh', args: ['-c', 'echo kept > note; sync'] })
  const { capabilities } = engine
  Object.assign(capabilities, { pause: false })
  t.after(() => Object.assign(capabilities, { pause: true }))
  await sandbox.putToSleep()
  await waitFor(async () => (await machineOf(sandbox.id)) === 'stopped')
  assert.deepEqual(
    [(await sandbox.required()).hibernated, (await sandbox.shown())?.status],
    [true, 'STOPPED'],
  )
  const { stdout } = await runIn(service, sandbox.path, { executable: 'cat', args: ['note'] })
  assert.equal(stdout, 'kept\n')
  assert.equal((await sandbox.spans()).filter(({ to }) => to === undefined).length, 1)
  await service.remove(sandbox.path)
})

test('an extension of a paused sandbox is for the time after its wake, and does not end it sooner', async () => {
  const sandbox = await create()
  await sandbox.putToSleep()
  assert.equal((await service.post(`${sandbox.path}/extend`, { maxLifeSeconds: 3000 })).status, 200)
  const { kept, expires_at: keptUntil } = await sandbox.required()
  assert.ok(kept && keptUntil.getTime() - Date.now() > 47 * hour)
  await runIn(service, sandbox.path, { executable: 'true' })
  const lifeMs = (await sandbox.required()).expires_at.getTime() - Date.now()
  assert.ok(lifeMs > 600_000 && lifeMs <= 3_000_000)
  await service.remove(sandbox.path)
})

test('a sandbox that nobody wakes is deleted, and one that has stopped is kept as long', async () => {
  const [asleep, ended] = [await create(), await create()]
  await asleep.putToSleep()
  await asleep.letExpire()
  await asleep.gone()
  const { body } = await service.get('~/sandboxes?ended=true&limit=1')
  assert.deepEqual([body[0].id, body[0].ended.reason], [asleep.id, 'not-woken'])

  await service.post(`${ended.path}/process`, {
    executable: 'sudo',
    args: ['sh', '-c', 'kill -TERM 1'],
  })
  await waitFor(async () => ['STOPPED', 'ERROR'].includes((await ended.required()).status))
  await ended.letExpire()
  await waitFor(async () => (await ended.required()).kept)
  assert.equal((await service.post(`${ended.path}/restart`)).status, 200)
  assert.equal((await ended.required()).kept, false)
  await service.remove(ended.path)
})

test('13 days after its creation a sandbox is deleted, whatever its rules are', async () => {
  const sandbox = await create()
  await sql`UPDATE sandboxes SET created_at = now() - interval '13 days', expires_at = now()
    WHERE id = ${sandbox.id}`.execute(service.pool.db)
  await sandbox.gone()
})

test('a call does not wait forever for a wake, which goes on, and a failed one leaves the sandbox paused', async t => {
  const sandbox = await create()
  await sandbox.putToSleep()
  const allowed = Promise.withResolvers<void>()
  const resume = engine.resume.bind(engine)
  const mocked = t.mock.method(engine, 'resume', () => Promise.reject(new Error('it cannot')))
  const call = () => service.post(`${sandbox.path}/process`, { executable: 'true' })
  assert.equal((await call()).status, 500)
  assert.equal((await sandbox.required()).paused, true)
  mocked.mock.mockImplementation(async (handle: MachineHandle) => {
    await allowed.promise
    await resume(handle)
  })
  const answer = await call()
  assert.deepEqual([code(answer), Number(answer.headers.get('retry-after'))], [[503, 'sandbox.WAKING'], 2])
  allowed.resolve()
  await waitFor(async () => (await sandbox.required()).status === 'RUNNING')
  assert.equal((await call()).status, 200)
  await service.remove(sandbox.path)
})
