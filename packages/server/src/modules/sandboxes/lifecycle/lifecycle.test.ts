import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { Sandbox } from '@sandglass/protocol'
import { sql } from 'kysely'
import { forgetEnded } from '../../../records/ended-sandboxes.ts'
import { makeSandbox } from '../../../testing/make-sandbox.ts'
import { startMachineService } from '../../../testing/test-machines.ts'
import type { Answer } from '../../../testing/test-service.ts'
import { requireSleep } from './require-sleep.ts'
import { RuledSandbox } from './testing/rules.ts'

const { service } = await startMachineService()
const { db } = service.pool
const code = ({ status, body }: Answer) => [status, body?.code]
const patch = (path: string, body: object, key?: string) =>
  service.call('PATCH', `${path}/lifecycle`, { body, ...(key !== undefined && { key }) })

test('a sandbox without rules is created and shown as before there were rules', async () => {
  const id = await makeSandbox(service)
  const { body } = await service.get('~/sandboxes')
  const sandbox = body.find((one: Sandbox) => one.id === id)
  assert.equal('lifecycle' in sandbox, false)
  assert.equal('ended' in sandbox, false)
  await service.remove(`~/sandboxes/${id}`)
})

test('idleSeconds is the same as lifecycle.idleSeconds, and both must agree', async () => {
  const made = await service.post('~/sandboxes', { shape: 'small', idleSeconds: 600 })
  assert.equal(made.status, 200, made.text)
  const rules = { onTimeout: 'delete', autoResume: false, idleSeconds: 600, onIdle: 'delete' }
  assert.deepEqual(made.body.lifecycle, rules)
  const refused = [
    { idleSeconds: 600, lifecycle: { idleSeconds: 700 } },
    { lifecycle: { idleSeconds: 9 } },
    { lifecycle: { onTimeout: 'stop' } },
    { lifecycle: { onIdle: 'hibernate' } },
    { lifecycle: { autoResume: 'yes' } },
  ]
  for (const choices of refused)
    assert.deepEqual(code(await service.post('~/sandboxes', { shape: 'small', ...choices })), [
      400,
      'request.INVALID',
    ])
  await service.remove(`~/sandboxes/${made.body.id}`)
})

test('rules are changed one by one, for the sandbox and its forks', async () => {
  const sandbox = new RuledSandbox(service, await makeSandbox(service, { idleSeconds: 600 }))
  const { path } = sandbox
  const { status, body } = await patch(path, { onTimeout: 'pause' })
  assert.equal(status, 200)
  const changed = { onTimeout: 'pause', autoResume: false, idleSeconds: 600, onIdle: 'delete' }
  assert.deepEqual(body, changed)
  assert.deepEqual((await service.get(path)).body.sandbox.lifecycle, changed)
  await patch(path, { idleSeconds: 1000, autoResume: true, onIdle: 'pause' })
  const { idle_at: idleAt } = await sandbox.required()
  assert.ok(Number(idleAt) > Date.now() + 900_000, 'the idle time begins anew')

  const { body: forks } = await service.post(`${path}/fork`, { lifecycle: { idleSeconds: null } })
  const fork = forks.results[0].sandbox
  assert.deepEqual(fork.lifecycle, { onTimeout: 'pause', autoResume: true, onIdle: 'pause' })
  await service.remove(`~/sandboxes/${fork.id}`)

  assert.equal((await patch(path, { idleSeconds: null })).body.idleSeconds, undefined)
  assert.equal((await sandbox.required()).idle_at, null)
  assert.deepEqual(code(await patch(path, { idleSeconds: 5 })), [400, 'request.INVALID'])
  assert.deepEqual(code(await patch('~/sandboxes/absent', {})), [404, 'sandbox.NOT_FOUND'])
  const viewer = await service.keyOf('viewer')
  assert.deepEqual(code(await patch(path, { autoResume: false }, viewer)), [403, 'auth.FORBIDDEN'])
  await service.remove(path)
})

test('a sandbox whose machine can neither be paused nor stopped has no rule to pause it', () => {
  const engine = {
    capabilities: { pause: false, saveMemory: false, egress: true, egressNames: true, halfClose: true },
  }
  const rules = { onTimeout: 'delete', onIdle: 'delete' } as const
  requireSleep(engine, rules)
  requireSleep({ ...engine, stop: async () => {} }, { ...rules, onTimeout: 'pause' })
  for (const rule of ['onTimeout', 'onIdle'] as const)
    assert.throws(() => requireSleep(engine, { ...rules, [rule]: 'pause' }), {
      code: 'request.INVALID',
      message: new RegExp(`lifecycle\\.${rule}`),
    })
})

test('a list has pages, each of them in order, without gaps and without repetitions', async () => {
  const labels = { list: 'pages' }
  const made: string[] = []
  for (let count = 0; count < 5; count++) {
    const { body } = await service.post('~/sandboxes', { shape: 'small', labels })
    made.push(body.id)
  }
  const ids = (answer: Answer) => answer.body.map(({ id }: Sandbox) => id)
  const page = async (query: string, cursor: string | null) =>
    service.get(`~/sandboxes?label=list%3Dpages&${query}${cursor === null ? '' : `&cursor=${cursor}`}`)
  const pages = async (query: string) => {
    const listed: string[] = []
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
      const answer: Answer = await page(query, cursor)
      assert.equal(answer.status, 200, answer.text)
      Sandbox.array().parse(answer.body)
      listed.push(...ids(answer))
      cursor = answer.headers.get('x-next-cursor')
    }
    return listed
  }
  assert.deepEqual(await pages('limit=2'), made)
  assert.deepEqual(await pages('limit=5'), made)
  const all = await page('', null)
  assert.deepEqual([ids(all), all.headers.get('x-next-cursor')], [made, null])
  const { project_id: project } = await new RuledSandbox(service, made[0] ?? '').required()
  assert.deepEqual(await pages(`project=${project}&limit=1`), made)
  assert.deepEqual(await pages('project=other'), [])
  for (const query of [
    'limit=0',
    'limit=1001',
    'cursor=%20',
    'cursor=abc',
    'ended=maybe',
    'project=a&projectId=b',
  ])
    assert.deepEqual(code(await service.get(`~/sandboxes?${query}`)), [400, 'request.INVALID'], query)

  for (const id of made) {
    const deleted = await service.delete(`~/sandboxes/${id}`)
    assert.equal(deleted.status, 200, deleted.text)
  }
  assert.deepEqual(await pages(''), [])
  assert.deepEqual(await pages('ended=true&limit=2'), made.toReversed())
})

test('a sandbox that has ended is listed with its reason to those who could see it, for some days', async () => {
  const deleted = await makeSandbox(service, { name: 'brief', labels: { why: 'deleted' } })
  const expired = new RuledSandbox(service, await makeSandbox(service, { labels: { why: 'expired' } }))
  await service.remove(`~/sandboxes/${deleted}`)
  await expired.letExpire()
  await expired.gone()
  const ended = async (query: string) => (await service.get(`~/sandboxes?ended=true&${query}`)).body
  const [one, ...more] = await ended('label=why%3Ddeleted')
  assert.deepEqual([one.id, one.name, one.ended.reason, more], [deleted, 'brief', 'deleted', []])
  assert.ok(Math.abs(Date.parse(one.ended.at) - Date.now()) < 600_000)
  assert.equal((await ended('label=why%3Dexpired'))[0].ended.reason, 'expired')
  assert.equal((await service.get(`~/sandboxes/${deleted}`)).status, 404)

  const other = await service.otherOrganization()
  const theirs = await service.get(`/api/orgs/${other.orgId}/sandboxes?ended=true`, { key: other.apiKey })
  assert.deepEqual(theirs.body, [])
  const { body: trial } = await service.post('~/trial-tokens', { shapeNames: ['small'], sandboxQuota: 1 })
  const session = { key: null, headers: { 'x-trial-session-token': trial.trialToken } }
  assert.deepEqual((await service.get('~/sandboxes?ended=true', session)).body, [])

  await sql`UPDATE ended_sandboxes SET ended_at = now() - interval '8 days' WHERE id = ${deleted}`.execute(db)
  await forgetEnded(db, 7)
  assert.deepEqual(await ended('label=why%3Ddeleted'), [])
  await waitFor(async () => (await ended('label=why%3Dexpired')).length === 1)
})
