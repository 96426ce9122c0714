import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Prepared } from '../../db/database.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import { KnownSandboxes } from './known-sandboxes.ts'

const member = memberOf('here')

function memberOf(org: string): OrganizationPrincipal {
  const organization = { id: org, planTier: 0, featureFlags: [] }
  return { kind: 'apiKey', id: 'key', role: 'member', expiresAt: null, organization }
}

/** Creates a cache on a database with one sandbox that counts its queries. */
function cacheOf(row: Partial<SandboxRow>) {
  const database = {
    queries: 0,
    row: { id: 'box', org_id: 'here', status: 'RUNNING', control: 'agent', ...row },
  }
  const prepared = (async (_name: string, _text: string, org: unknown) => {
    database.queries++
    return org === database.row.org_id ? [{ ...database.row }] : []
  }) as Prepared
  const listener = { isFresh: () => true }
  return { database, listener, known: new KnownSandboxes(prepared, listener) }
}

test('a running sandbox is queried once, until a change of it is announced', async () => {
  const { database, known } = cacheOf({})
  assert.equal((await known.find(member, 'box'))?.status, 'RUNNING')
  assert.equal((await known.find(member, 'box'))?.status, 'RUNNING')
  assert.equal(database.queries, 1)
  database.row.status = 'STOPPED'
  known.forget('box')
  assert.equal((await known.find(member, 'box'))?.status, 'STOPPED')
})

test('a sandbox that does not run, or that a person controls, is queried each time', async () => {
  for (const row of [{ status: 'PENDING' }, { control: 'user' }] as const) {
    const { database, known } = cacheOf(row)
    await known.find(member, 'box')
    await known.find(member, 'box')
    assert.equal(database.queries, 2)
  }
})

test('a caller who may not see a sandbox does not get it from the cache', async () => {
  const { known } = cacheOf({ created_by: 'apiKey:key' })
  assert.equal(await known.find(memberOf('elsewhere'), 'box'), undefined)
  assert.ok(await known.find(member, 'box'))
  assert.equal(await known.find(memberOf('elsewhere'), 'box'), undefined)
  const trial = {
    ...member,
    kind: 'trialToken',
    id: 'other',
    expiresAt: new Date(),
    sandboxQuota: 1,
    shapeNames: [],
  } as const
  assert.equal(await known.find(trial, 'box'), undefined)
})

test('the cache is not used while notifications may be missed', async () => {
  const { database, listener, known } = cacheOf({})
  await known.find(member, 'box')
  listener.isFresh = () => false
  await known.find(member, 'box')
  assert.equal(database.queries, 2)
  listener.isFresh = () => true
  known.forgetAll()
  await known.find(member, 'box')
  assert.equal(database.queries, 3)
})
