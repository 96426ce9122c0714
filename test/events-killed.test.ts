import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@sandglass/machines/testing'
import type { LoggedEvent } from '@sandglass/protocol'
import { seeded } from '@sandglass/wire/testing'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { EventReader } from '../packages/server/src/testing/event-reader.ts'
import { type Credentials, call, ServiceProcess, temporaryFolder } from './support/service-process.ts'
import { sharedDatabase } from './support/shared-database.ts'

const kills = Number(process.env['CHAOS_KILLS'] ?? 4)
const seed = Number(process.env['CHAOS_SEED'] ?? 4780)

/** The ids of keys whose create, or whose revocation, was acknowledged. */
interface Acknowledged {
  readonly created: Set<string>
  readonly revoked: Set<string>
}

/** Creates and revokes keys until the service is gone or the signal aborts. */
async function act(
  credentials: Credentials,
  { created, revoked }: Acknowledged,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const made = await call(credentials, 'POST', '~/api-keys', { name: 'chaos', role: 'viewer' })
    if (made.status === 0) return
    assert.equal(made.status, 200)
    created.add(made.body.id)
    if (random() < 0.5) continue
    const { status } = await call(credentials, 'DELETE', `~/api-keys/${made.body.id}`)
    if (status === 0) return
    assert.equal(status, 200)
    revoked.add(made.body.id)
  }
}

test(`kill -9 of one of two processes at ${kills} random moments leaves exactly one event per acknowledged change`, {
  timeout: 30_000 * kills + 300_000,
}, async context => {
  context.diagnostic(`seed ${seed}`)
  const random = seeded(seed)
  const { env, folder } = await sharedDatabase()
  const acknowledged: Acknowledged = { created: new Set(), revoked: new Set() }
  const survivor = await ServiceProcess.start(await temporaryFolder(), env)
  const credentials = await survivor.credentials()
  const url = `${credentials.url}/api/orgs/${credentials.orgId}/events`
  const key = credentials.apiKey
  const reader = await EventReader.open(`${url}?types=key.*`, { key })
  const victims = await temporaryFolder()

  // On a box of any speed, a fair number of changes must be made meanwhile.
  for (let round = 0; round < kills || acknowledged.created.size < 10 * kills; round++) {
    context.signal.throwIfAborted()
    const victim = await ServiceProcess.start(victims, env)
    const over = new AbortController()
    const other = await victim.credentials()
    const acting = [other, other, credentials].map(each => act(each, acknowledged, random, over.signal))
    await delay(random() * 500)
    await victim.kill()
    over.abort()
    await Promise.all(acting)
  }

  const { db, close } = openPool(embeddedAddress(join(folder, 'postgres')), () => {})
  cleanup.defer(close)
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'revoked_at'])
    .where('name', '=', 'chaos')
    .execute()
  const ids = new Set(rows.map(({ id }) => id))
  const revokedIds = new Set(rows.filter(row => row.revoked_at !== null).map(({ id }) => id))
  for (const id of acknowledged.created) assert.ok(ids.has(id), `${id} was created`)
  for (const id of acknowledged.revoked) assert.ok(revokedIds.has(id), `${id} was revoked`)

  /** Reads the whole log on a process, page by page. */
  const readAll = async (): Promise<LoggedEvent[]> => {
    const events: LoggedEvent[] = []
    let cursor = ''
    for (;;) {
      const { body } = await call(credentials, 'GET', `~/events?types=key.*&limit=100${cursor}`)
      events.push(...body.events)
      if (body.nextCursor === null) return events
      cursor = `&cursor=${body.nextCursor}`
    }
  }
  const total = ids.size + revokedIds.size
  const ofChaos = (events: readonly LoggedEvent[]) => events.filter(({ subject }) => ids.has(subject))
  await waitFor(async () => ofChaos(await readAll()).length >= total)
  const events = ofChaos(await readAll())
  const subjects = (type: string) => events.filter(event => event.type === type).map(event => event.subject)
  assert.deepEqual(subjects('key.created').toSorted(), [...ids].toSorted())
  assert.deepEqual(subjects('key.revoked').toSorted(), [...revokedIds].toSorted())
  // The reader has followed everything on the surviving process.
  const followed: LoggedEvent[] = []
  while (ofChaos(followed).length < total) followed.push(await reader.next())
  assert.deepEqual(ofChaos(followed), events)
})
