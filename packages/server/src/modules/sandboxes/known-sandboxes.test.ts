import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Prepared } from '../../db/database.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import { KnownSandboxes } from './known-sandboxes.ts'

const member = memberOf('here')

function memberOf(org: string): OrganizationPrincipal {
  const organization = { id: org, planTier: 0, featureFlags: [] }
  return { kind: 'apiKey', id: 'key', role: 'member', organization }
}

/** A database with one sandbox, and a count of how often it was asked. */
function knowing(row: Partial<SandboxRow>) {
  const asked = { times: 0, row: { id: 'box', org_id: 'here', status: 'RUNNING', control: 'agent', ...row } }
  const prepared = (async (_name: string, _text: string, org: unknown) => {
    asked.times++
    return org === asked.row.org_id ? [{ ...asked.row }] : []
  }) as Prepared
  const listener = { isFresh: () => true }
  return { asked, listener, known: new KnownSandboxes(prepared, listener) }
}

test('a sandbox that runs is asked for once, until a change of it is announced', async () => {
  const { asked, known } = knowing({})
  assert.equal((await known.find(member, 'box'))?.status, 'RUNNING')
  assert.equal((await known.find(member, 'box'))?.status, 'RUNNING')
  assert.equal(asked.times, 1)
  asked.row.status = 'STOPPED'
  known.forget('box')
  assert.equal((await known.find(member, 'box'))?.status, 'STOPPED')
})

test('one that does not run, or that a person has, is asked for each time', async () => {
  for (const row of [{ status: 'PENDING' }, { control: 'user' }] as const) {
    const { asked, known } = knowing(row)
    await known.find(member, 'box')
    await known.find(member, 'box')
    assert.equal(asked.times, 2)
  }
})

test('who may not see it does not, also while it is remembered', async () => {
  const { known } = knowing({ created_by: 'apiKey:key' })
  assert.equal(await known.find(memberOf('elsewhere'), 'box'), undefined)
  assert.ok(await known.find(member, 'box'))
  assert.equal(await known.find(memberOf('elsewhere'), 'box'), undefined)
  const trial = { ...member, kind: 'trialToken', id: 'other', sandboxQuota: 1, shapeNames: [] } as const
  assert.equal(await known.find(trial, 'box'), undefined)
})

test('nothing is believed while announcements may be missed', async () => {
  const { asked, listener, known } = knowing({})
  await known.find(member, 'box')
  listener.isFresh = () => false
  await known.find(member, 'box')
  assert.equal(asked.times, 2)
  listener.isFresh = () => true
  known.forgetAll()
  await known.find(member, 'box')
  assert.equal(asked.times, 3)
})
