import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MachineHandle } from '@sandglass/machines/contract'
import { waitFor } from '@sandglass/machines/testing'
import { Sandbox } from '@sandglass/protocol'
import { decodeJwt } from 'jose'
import { sql } from 'kysely'
import { startMachineService } from '../../testing/test-machines.ts'
import type { Answer } from '../../testing/test-service.ts'

const { service, engine } = await startMachineService()

async function create(body: object = {}): Promise<Sandbox> {
  const { status, body: sandbox, text } = await service.post('~/sandboxes', { shapeName: 'small', ...body })
  assert.equal(status, 200, text)
  return Sandbox.parse(sandbox)
}

async function statusOf(id: string): Promise<string> {
  const { status, body } = await service.get(`~/sandboxes/${id}/status`)
  return status === 200 ? body.status : String(status)
}

async function running(body: object = {}): Promise<Sandbox> {
  const sandbox = await create(body)
  await waitFor(async () => (await statusOf(sandbox.id)) !== 'PENDING')
  assert.equal(await statusOf(sandbox.id), 'RUNNING')
  return sandbox
}

const code = ({ status, body }: Answer) => [status, body?.code]

/** Runs a program in the machine of a sandbox, and returns its output. */
async function run(id: string, ...[executable, ...args]: [string, ...string[]]): Promise<string> {
  const { machine_id: machineId } = await service.pool.db
    .selectFrom('sandboxes')
    .select('machine_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const { handle } = await service.pool.db
    .selectFrom('machines')
    .select('handle')
    .where('id', '=', machineId)
    .executeTakeFirstOrThrow()
  assert.ok(handle)
  const machine = await engine.open(handle)
  const child = await machine.exec({ executable, args })
  let output = ''
  for await (const chunk of child.stdout) output += chunk
  machine.close()
  return output.trim()
}

test('a sandbox is RUNNING only once its machine is open, and can be used from then on', async t => {
  const [asked, allowed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const open = engine.open.bind(engine)
  t.mock.method(engine, 'open', async (handle: MachineHandle) => {
    asked.resolve()
    await allowed.promise
    return open(handle)
  })
  const { id } = await create()
  t.after(async () => {
    allowed.resolve()
    await service.remove(`~/sandboxes/${id}`)
  })
  await asked.promise
  // Each of these takes as long as recording that the sandbox runs would.
  for (let i = 0; i < 20; i++) assert.equal(await statusOf(id), 'PENDING')
  allowed.resolve()
  await waitFor(async () => (await statusOf(id)) === 'RUNNING')
  const action = { type: 'wait', duration: 1 }
  const { status, text } = await service.post(`~/sandboxes/${id}/actions/execute`, { action })
  assert.equal(status, 200, text)
})

test('a sandbox is created, runs a real desktop, and disappears as soon as it is deleted', async () => {
  const sandbox = await create({ name: 'first', maxLifeSeconds: 600, projectId: '' })
  assert.ok(['PENDING', 'RUNNING'].includes(sandbox.status))
  assert.equal(sandbox.name, 'first')
  assert.equal(sandbox.expiresAt, sandbox.expiredAt)
  assert.equal(Date.parse(sandbox.expiresAt) - Date.parse(sandbox.createdAt), 600_000)
  await waitFor(async () => (await statusOf(sandbox.id)) === 'RUNNING')

  const { body } = await service.get(`~/sandboxes/${sandbox.id}`)
  assert.equal(body.sandbox.shape.name, 'small')
  assert.equal(body.sandbox.shape.pricePerHour, 0.5)
  assert.equal(body.connectDetails.roomId, sandbox.id)
  assert.equal(body.connectDetails.gatewayAddresses[0].gatewayType, 'WEBSOCKET')
  assert.match(await run(sandbox.id, 'xprop', '-root', '_NET_SUPPORTING_WM_CHECK'), /window id/)

  const deleted = await service.delete(`~/sandboxes/${sandbox.id}`)
  assert.deepEqual([deleted.status, deleted.text], [200, ''])
  assert.equal(await statusOf(sandbox.id), '404')
  assert.deepEqual(code(await service.delete(`~/sandboxes/${sandbox.id}`)), [404, 'sandbox.NOT_FOUND'])
  await waitFor(async () => (await engine.list()).length === 0)
})

test('the published spelling `shape` is accepted, and invalid input is refused with the reason', async () => {
  const sandbox = await service.post('~/sandboxes', { shape: 'small' })
  assert.equal(sandbox.status, 200)
  await service.remove(`~/sandboxes/${sandbox.body.id}`)
  assert.deepEqual(code(await service.post('~/sandboxes', {})), [400, 'request.INVALID'])
  assert.deepEqual(code(await service.post('~/sandboxes', { shape: 'toaster' })), [400, 'shape.NOT_FOUND'])
  assert.deepEqual(code(await service.post('~/sandboxes', { shape: 'small', projectId: 'absent' })), [
    404,
    'project.NOT_FOUND',
  ])
  for (const egress of [
    [{ cidr: '10.0.0.0/8' }],
    [{ cidr: '169.254.169.254' }],
    [{ cidr: '0.0.0.0/0' }],
    [{ host: '*' }],
  ])
    assert.deepEqual(code(await service.post('~/sandboxes', { shape: 'small', egress })), [
      400,
      'request.INVALID',
    ])
  assert.equal((await service.get('~/stats')).body.sandboxes, 0)
})

test('env, screen and labels are as requested', async () => {
  const sandbox = await running({
    env: { GREETING: 'hello there' },
    screen: { width: 800, height: 600 },
    labels: { team: 'blue', run: '7' },
    egress: 'none',
  })
  assert.equal(await run(sandbox.id, 'sh', '-c', 'echo $GREETING'), 'hello there')
  assert.match(await run(sandbox.id, 'xdpyinfo'), /dimensions:\s+800x600 pixels/)
  const listed = async (query: string) =>
    (await service.get(`~/sandboxes?${query}`)).body.map(({ id }: Sandbox) => id)
  assert.deepEqual(await listed('label=team%3Dblue&label=run%3D7'), [sandbox.id])
  assert.deepEqual(await listed('label=team%3Dred'), [])
  assert.deepEqual(await listed('status=RUNNING'), [sandbox.id])
  assert.deepEqual(await listed('projectId=other'), [])
  await service.remove(`~/sandboxes/${sandbox.id}`)
})

test('a restart keeps the files and ends the processes', async () => {
  const { id } = await running()
  await run(id, 'sh', '-c', 'echo kept > note; sleep 1000 >/dev/null 2>&1 &')
  const restarted = await service.post(`~/sandboxes/${id}/restart`)
  assert.deepEqual([restarted.status, restarted.text], [200, ''])
  assert.equal(await statusOf(id), 'RUNNING')
  assert.equal(await run(id, 'cat', 'note'), 'kept')
  assert.equal(await run(id, 'sh', '-c', 'ps -e | grep -c sleep'), '0')
  await service.remove(`~/sandboxes/${id}`)
})

test('a paused sandbox is STOPPED, costs nothing and continues where it was', async () => {
  const { id } = await running()
  const pid = await run(
    id,
    'sh',
    '-c',
    '(while :; do date +%s%N > tick; sleep 0.05; done >/dev/null 2>&1 & echo $!)',
  )
  assert.equal((await service.post(`~/sandboxes/${id}/pause`)).status, 200)
  const { body } = await service.get(`~/sandboxes/${id}`)
  assert.deepEqual([body.sandbox.status, body.sandbox.paused], ['STOPPED', true])
  assert.equal((await service.post(`~/sandboxes/${id}/pause`)).status, 200, 'a second pause is not an error')
  assert.equal((await service.post(`~/sandboxes/${id}/resume`)).status, 200)
  assert.equal(await statusOf(id), 'RUNNING')
  assert.equal(await run(id, 'sh', '-c', `kill -0 ${pid} && echo alive`), 'alive')
  await service.remove(`~/sandboxes/${id}`)
})

test('extend counts from now, and is limited to 13 days after the creation', async () => {
  const { id } = await create({ maxLifeSeconds: 60 })
  const before = Date.now()
  const extended = await service.post(`~/sandboxes/${id}/extend`, { maxLifeSeconds: 7200 })
  assert.deepEqual([extended.status, extended.text], [200, ''])
  const { body } = await service.get(`~/sandboxes/${id}`)
  const extendedAt = Date.parse(body.sandbox.expiresAt) - 7_200_000
  assert.ok(extendedAt >= before && extendedAt <= Date.now())
  assert.equal(body.sandbox.expiresAt, body.sandbox.expiredAt)
  await sql`UPDATE sandboxes SET created_at = now() - interval '12 days 23 hours' WHERE id = ${id}`.execute(
    service.pool.db,
  )
  assert.deepEqual(code(await service.post(`~/sandboxes/${id}/extend`, { maxLifeSeconds: 7200 })), [
    409,
    'sandbox.LIFE_TOO_LONG',
  ])
  assert.equal((await service.post(`~/sandboxes/${id}/extend`, { maxLifeSeconds: 29 })).status, 400)
  await sql`UPDATE sandboxes SET created_at = now() WHERE id = ${id}`.execute(service.pool.db)
  assert.equal(
    (await service.post(`~/sandboxes/${id}/extend`)).status,
    200,
    'without a body the extension is an hour',
  )
  await service.remove(`~/sandboxes/${id}`)
  assert.deepEqual(code(await service.post(`~/sandboxes/${id}/extend`)), [404, 'sandbox.NOT_FOUND'])
})

test('an expired sandbox is deleted once, together with its machine', async () => {
  const { id, expiresAt } = await create({ maxLifeSeconds: 2 })
  await waitFor(async () => (await statusOf(id)) === '404')
  await waitFor(async () => (await engine.list()).length === 0)
  const { body } = await service.get(`~/audit-log?target=${id}&operation=expireSandbox`)
  assert.equal(body.entries.length, 1)
  assert.ok(Date.parse(body.entries[0].at) >= Date.parse(expiresAt))
})

test('an idle sandbox is deleted, and a call keeps it alive', async () => {
  const { id } = await running({ idleSeconds: 10 })
  const idleAt = async () =>
    (await service.pool.db.selectFrom('sandboxes').select('idle_at').where('id', '=', id).executeTakeFirst())
      ?.idle_at
  const before = await idleAt()
  await waitFor(async () => {
    await statusOf(id)
    return Number(await idleAt()) > Number(before)
  })
  await service.pool.db.updateTable('sandboxes').set({ idle_at: new Date() }).where('id', '=', id).execute()
  const rows = () => service.pool.db.selectFrom('sandboxes').select('id').where('id', '=', id).execute()
  await waitFor(async () => (await rows()).length === 0)
})

test('a sandbox whose machine dies is soon in ERROR or STOPPED with a reason, and can be restarted or deleted', async () => {
  const { id } = await running()
  // The machine may be gone before it can report how the program ended.
  await run(id, 'sudo', 'sh', '-c', 'kill -TERM 1').catch(() => {})
  await waitFor(async () => ['STOPPED', 'ERROR'].includes(await statusOf(id)))
  const { body } = await service.get(`~/sandboxes/${id}`)
  assert.ok(body.sandbox.reason.length > 0)
  assert.equal((await service.post(`~/sandboxes/${id}/restart`)).status, 200)
  assert.equal(await statusOf(id), 'RUNNING')
  assert.equal((await service.delete(`~/sandboxes/${id}`)).status, 200)
  await waitFor(async () => (await engine.list()).length === 0)
})

test('a sandbox that is deleted during its creation leaves nothing behind', async () => {
  for (let i = 0; i < 3; i++) {
    const { id } = await create()
    assert.equal((await service.delete(`~/sandboxes/${id}`)).status, 200)
  }
  await waitFor(async () => (await engine.list()).length === 0)
  const rows = async () => (await service.pool.db.selectFrom('machines').select('id').execute()).length
  await waitFor(async () => (await rows()) === 0)
})

test('the plan limits how many sandboxes run at once, even for concurrent creates', async () => {
  await service.operator('POST', '/api/operator/plans', {
    name: 'two',
    tier: 1,
    concurrentSandboxes: 2,
    machineImages: 0,
  })
  const { body } = await service.operator('POST', '/api/operator/organizations', {
    name: 'Small',
    plan: 'two',
  })
  const key = body.ownerKey.apiKey
  const path = `/api/orgs/${body.organization.id}/sandboxes`
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => service.post(path, { shape: 'small' }, { key })),
  )
  const made = answers.filter(({ status }) => status === 200)
  assert.equal(made.length, 2)
  for (const answer of answers.filter(({ status }) => status !== 200))
    assert.deepEqual(code(answer), [409, 'sandbox.TOO_MANY'])
  for (const { body: sandbox } of made) await service.remove(`${path}/${sandbox.id}`, { key })
})

test('a trial session sees only the sandboxes that it created, within its quota', async () => {
  const ofOrganization = await create()
  const { body } = await service.post('~/trial-tokens', { shapeNames: ['small'], sandboxQuota: 1 })
  const trial = { key: null, headers: { 'x-trial-session-token': body.trialToken } }
  assert.deepEqual((await service.get('~/sandboxes', trial)).body, [])
  assert.equal((await service.get(`~/sandboxes/${ofOrganization.id}`, trial)).status, 404)
  assert.equal((await service.delete(`~/sandboxes/${ofOrganization.id}`, trial)).status, 404)
  const first = await service.post('~/sandboxes', { shape: 'small' }, trial)
  assert.equal(first.status, 200)
  assert.deepEqual(code(await service.post('~/sandboxes', { shape: 'small' }, trial)), [
    409,
    'sandbox.TOO_MANY',
  ])
  for (const id of [ofOrganization.id, first.body.id])
    assert.equal((await service.delete(`~/sandboxes/${id}`)).status, 200)
})

test('the token in connectDetails follows the role of the caller', async () => {
  const { id, expiresAt } = await create({ maxLifeSeconds: 300 })
  const scopeFor = async (role: string) => {
    const key = await service.keyOf(role)
    const { body } = await service.get(`~/sandboxes/${id}`, { key })
    const claims = decodeJwt(body.connectDetails.endUserToken)
    assert.equal(claims['room'], id)
    assert.ok((claims.exp ?? 0) * 1000 <= Date.parse(expiresAt))
    return claims['scope']
  }
  assert.equal(await scopeFor('viewer'), 'view')
  assert.match(String(await scopeFor('member')), /input/)
  await service.remove(`~/sandboxes/${id}`)
})

test('usage counts the seconds in RUNNING and multiplies them by the price', async () => {
  const { id } = await running()
  await service.post(`~/sandboxes/${id}/pause`)
  await service.remove(`~/sandboxes/${id}`)
  const { rows } = {
    rows: await service.pool.db.selectFrom('usage_spans').selectAll().where('sandbox_id', '=', id).execute(),
  }
  assert.equal(rows.length, 1)
  assert.ok(rows[0]?.ended_at)
  const { body } = await service.get(`~/usage?sandboxId=${id}`)
  assert.equal(body.length, 1)
  assert.equal(body[0].shapeName, 'small')
  assert.ok(Math.abs(body[0].billedSeconds - body[0].seconds / 2) < 1e-6)
  const spent = (Number(rows[0]?.ended_at) - Number(rows[0]?.started_at)) / 1000
  assert.ok(Math.abs(body[0].seconds - spent) < 0.01)
})
