import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { LoggedEvent } from '@sandglass/protocol'
import { sql } from 'kysely'
import { removeOldEvents } from '../packages/server/src/events/retention.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { EventReader } from '../packages/server/src/testing/event-reader.ts'
import { eventsWhen } from '../packages/server/src/testing/events-when.ts'
import type { TestService } from '../packages/server/src/testing/test-service.ts'
import { NodeDatabase } from './support/nodes.ts'
import { startPaperNode } from './support/paper-nodes.ts'

const database = await NodeDatabase.start()
const maxStreams = 8
const shared = { env: { ...database.env, SANDGLASS_EVENT_STREAMS: String(maxStreams) } }
const here = await startPaperNode(shared, { places: 100 })
const elsewhere = await startPaperNode(shared, { places: 0 })
const owner = here.service.credentials.apiKey

interface Page {
  readonly events: LoggedEvent[]
  readonly nextCursor: string | null
}

async function list(path: string, key = owner, service: TestService = here): Promise<Page> {
  const { status, body, text } = await service.get(path, { key })
  assert.equal(status, 200, text)
  for (const event of body.events) LoggedEvent.parse(event)
  return body
}

const follow = (path: string, service: TestService, options: { key?: string; lastEventId?: string } = {}) =>
  EventReader.open(service.service.url + service.expand(path), { key: owner, ...options })

/** Creates a sandbox, and waits until its start is in the log, so that a stream which is opened then does not begin with it. */
async function create(): Promise<string> {
  const { status, body, text } = await here.post('~/sandboxes', { shapeName: 'small', wait: 30 })
  assert.equal(status, 200, text)
  const isStart = ({ data }: LoggedEvent) => data['reason'] === 'started'
  await eventsWhen(here, `~/sandboxes/${body.id}/events`, events => events.some(isStart))
  return body.id
}

const typesOf = (events: readonly LoggedEvent[]) => events.map(({ type }) => type)
const extend = (id: string) => here.post(`~/sandboxes/${id}/extend`, { maxLifeSeconds: 3600 })

test('the story of a sandbox can be read in order, also after it has ended', async () => {
  const id = await create()
  await extend(id)
  assert.equal((await here.post(`~/sandboxes/${id}/pause`)).status, 200)
  assert.equal((await here.post(`~/sandboxes/${id}/resume`)).status, 200)
  assert.equal((await here.delete(`~/sandboxes/${id}`)).status, 200)
  const events = await eventsWhen(here, `~/sandboxes/${id}/events`, all =>
    typesOf(all).includes('sandbox.deleted'),
  )
  assert.deepEqual(
    events.map(({ type, data }) => [type, data['reason']]),
    [
      ['sandbox.created', undefined],
      ['sandbox.state.updated', 'started'],
      ['sandbox.extended', undefined],
      ['sandbox.state.updated', 'paused'],
      ['sandbox.state.updated', 'resumed'],
      ['sandbox.deleted', 'deleted'],
    ],
  )
  assert.deepEqual(
    events.map(({ id }) => id),
    events.map(({ id }) => id).toSorted(),
  )
  for (const { type, actor, orgId, subject } of events) {
    assert.deepEqual([orgId, subject], [here.orgId, id])
    const isByService = type === 'sandbox.state.updated' && actor.kind === 'service'
    assert.ok(actor.kind === 'apiKey' || isByService, `${type} by ${actor.kind}`)
  }
})

test('pages can be read on in both orders, and filters select by type, subject and time', async () => {
  const id = await create()
  for (let i = 0; i < 5; i++) await extend(id)
  const path = `~/events?subject=${id}`
  const all = await eventsWhen(here, path, events => events.length >= 7)
  for (const order of ['oldest', 'newest']) {
    const read: LoggedEvent[] = []
    let cursor = ''
    for (let page: Page | undefined; !page || page.nextCursor !== null; ) {
      page = await list(`${path}&order=${order}&limit=2${cursor}`)
      read.push(...page.events)
      cursor = `&cursor=${page.nextCursor}`
    }
    assert.deepEqual(read, order === 'oldest' ? all : all.toReversed())
  }
  const select = async (query: string) => typesOf((await list(`${path}&${query}`)).events)
  assert.deepEqual(await select('types=sandbox.created,sandbox.state.updated'), [
    'sandbox.created',
    'sandbox.state.updated',
  ])
  assert.equal((await select('types=sandbox.*')).length, all.length)
  assert.deepEqual(await select('types=key.*'), [])
  const middle = all[3]?.time ?? ''
  const [before, since] = [await select(`before=${middle}`), await select(`since=${middle}`)]
  assert.deepEqual([...before, ...since], typesOf(all))
  for (const query of ['types=sandbox.exploded', 'types=', 'cursor=evt_1', 'limit=0', 'since=yesterday']) {
    const { status, body } = await here.get(`~/events?${query}`)
    assert.deepEqual([status, body.code], [400, 'request.INVALID'], query)
  }
})

test('a stream shows what happens on every process, and goes on after Last-Event-ID without gap or repetition', async () => {
  const id = await create()
  const path = `~/sandboxes/${id}/events`
  const first = await follow(path, elsewhere)
  await extend(id)
  await extend(id)
  const seen = await first.take(2)
  first.close()
  await Promise.all(Array.from({ length: 20 }, () => extend(id)))
  const second = await follow(path, here, { lastEventId: first.lastEventId ?? '' })
  seen.push(...(await second.take(20)))
  second.close()
  const third = await follow(path, elsewhere, { lastEventId: seen.at(-1)?.id ?? '' })
  await here.remove(`~/sandboxes/${id}`)
  seen.push(...(await third.until(({ type }) => type === 'sandbox.deleted')))
  const { events } = await list(path)
  assert.deepEqual(seen, events.slice(2))
})

test('a stream of a reader that was away for longer than the tail remembers is read from the database', async () => {
  const subject = 'long-ago'
  const { db } = database
  const insert = (count: number) =>
    sql`
    INSERT INTO events (org_id, type, subject, data, actor_kind, actor_id)
    SELECT ${here.orgId}, 'port.opened', ${subject}, jsonb_build_object('port', n), 'service', 'machines'
    FROM generate_series(1, ${count}::int) AS n`.execute(db)
  const reader = await follow(`~/events?subject=${subject}`, here)
  await insert(1)
  const [start] = await reader.take(1)
  reader.close()
  await insert(3000)
  const again = await follow(`~/events?subject=${subject}`, elsewhere, { lastEventId: start?.id ?? '' })
  const events = await again.take(3000)
  assert.deepEqual(
    events.map(({ data }) => data['port']),
    Array.from({ length: 3000 }, (_, i) => i + 1),
  )
  await insert(1)
  assert.equal((await again.next()).data['port'], 1)
})

test('a reader that does not read receives everything later, and delays nobody', async () => {
  const subject = 'slow'
  const { hostname, port } = new URL(here.service.url)
  const socket = connect(Number(port), hostname)
  cleanup.defer(() => void socket.destroy())
  socket.write(
    `GET ${here.expand(`~/events?subject=${subject}`)} HTTP/1.1\r\nHost: localhost:${port}\r\nX-Api-Key: ${owner}\r\nAccept: text/event-stream\r\n\r\n`,
  )
  let received = ''
  const takeIn = (chunk: Buffer) => {
    received += chunk
  }
  socket.on('data', takeIn)
  await waitFor(async () => received.includes(': here'))
  socket.pause()
  const quick = await follow(`~/events?subject=${subject}`, here)
  const count = 8000
  const text = 'x'.repeat(1000)
  for (let done = 0; done < count; done += 500)
    await sql`
      INSERT INTO events (org_id, type, subject, data, reason, actor_kind, actor_id)
      SELECT ${here.orgId}, 'port.opened', ${subject}, jsonb_build_object('port', ${done}::int + n), ${text}, 'service', 'machines'
      FROM generate_series(1, 500) AS n`.execute(database.db)
  const ports = (events: readonly LoggedEvent[]) => events.map(({ data }) => data['port'])
  const expected = Array.from({ length: count }, (_, i) => i + 1)
  assert.deepEqual(ports(await quick.take(count)), expected)
  socket.resume()
  const lines = () => received.split('\n').filter(line => line.startsWith('data: '))
  await waitFor(async () => lines().length === count)
  assert.deepEqual(ports(lines().map(line => LoggedEvent.parse(JSON.parse(line.slice(6))))), expected)
})

test('another organization sees no event, a lower role no keys, and only the operator sees nodes', async () => {
  const other = await here.otherOrganization()
  const id = await create()
  const events = await list(`/api/orgs/${other.orgId}/events`, other.apiKey)
  assert.ok(events.events.every(({ orgId }) => orgId === other.orgId))
  const hidden = await here.get(`/api/orgs/${other.orgId}/sandboxes/${id}/events`, { key: other.apiKey })
  assert.deepEqual([hidden.status, hidden.body.code], [404, 'sandbox.NOT_FOUND'])
  assert.equal((await here.get('~/events', { key: other.apiKey })).status, 404)
  const stream = await follow(`/api/orgs/${other.orgId}/events`, here, { key: other.apiKey })
  await extend(id)
  await here.post(`/api/orgs/${other.orgId}/api-keys`, { name: 'x' }, { key: other.apiKey })
  assert.equal((await stream.next()).type, 'key.created')

  const viewer = await here.keyOf('viewer')
  const kinds = async (key: string) => new Set(typesOf((await list('~/events?limit=1000', key)).events))
  await waitFor(async () => (await kinds(owner)).has('key.created'))
  assert.ok(!(await kinds(viewer)).has('key.created'))
  assert.deepEqual((await list('~/events?types=key.created', viewer)).events, [])
  assert.ok(![...(await kinds(owner))].some(type => type.startsWith('node.')))
  const { body } = await here.operator('GET', '/api/operator/events?types=node.*')
  assert.deepEqual(typesOf(body.events), ['node.started', 'node.started'])
  assert.equal((await here.get('/api/operator/events')).status, 403)
})

test('a trial session sees the events of its own sandboxes only', async () => {
  const { body: trial } = await here.post('~/trial-tokens', { name: 'try', shapeNames: ['small'] })
  const headers = { 'x-trial-session-token': trial.trialToken }
  const asTrial = (path: string) => here.get(path, { key: null, headers })
  const made = await here.call('POST', '~/sandboxes', { key: null, headers, body: { shapeName: 'small' } })
  assert.equal(made.status, 200, made.text)
  const foreign = await create()
  for (const id of [made.body.id, foreign]) await here.remove(`~/sandboxes/${id}`)
  assert.equal((await asTrial(`~/sandboxes/${made.body.id}/events`)).status, 200)
  assert.equal((await asTrial(`~/sandboxes/${foreign}/events`)).status, 404)
  assert.equal((await asTrial('~/events')).status, 403)
})

test('a stream ends when its credential is revoked, and an organization has a limited number of them', async () => {
  const { body } = await here.post('~/api-keys', { name: 'brief', role: 'viewer' })
  const streams = [
    await follow('~/events', here, { key: body.apiKey }),
    await follow('~/events', elsewhere, { key: body.apiKey }),
  ]
  assert.equal((await here.delete(`~/api-keys/${body.id}`)).status, 200)
  await Promise.all(streams.map(stream => stream.end()))

  const other = await here.otherOrganization()
  const path = `/api/orgs/${other.orgId}/events`
  const open = () => follow(path, here, { key: other.apiKey })
  const readers = await Promise.all(Array.from({ length: maxStreams }, open))
  const refused = await here.get(path, { key: other.apiKey, headers: { accept: 'text/event-stream' } })
  assert.deepEqual([refused.status, refused.body.code], [429, 'event.TOO_MANY_STREAMS'])
  assert.equal((await here.get(path, { key: other.apiKey })).status, 200)
  for (const reader of readers) reader.close()
  await waitFor(async () => {
    const reader = await open().catch(() => undefined)
    reader?.close()
    return reader !== undefined
  })
})

test('the oldest events are removed when there are too many, and a reader that has missed some is refused', async () => {
  const id = await create()
  const { events } = await list(`~/sandboxes/${id}/events`)
  await extend(id)
  await extend(id)
  const all = await eventsWhen(here, `~/sandboxes/${id}/events`, ({ length }) => length === events.length + 2)
  const count = async () => {
    const { rows } = await sql<{ count: number }>`SELECT count(*)::int FROM events`.execute(database.db)
    return rows[0]?.count ?? 0
  }
  await removeOldEvents(database.db, 30, (await count()) + 1)
  assert.equal((await list(`~/sandboxes/${id}/events`)).events.length, all.length)
  await removeOldEvents(database.db, 30, 2)
  assert.equal(await count(), 2)
  assert.deepEqual(typesOf((await list(`~/sandboxes/${id}/events`)).events), [
    'sandbox.extended',
    'sandbox.extended',
  ])
  const { status, body } = await here.get(`~/events?cursor=${events[0]?.id}`)
  assert.deepEqual([status, body.code], [409, 'event.CURSOR_EXPIRED'])
})

test('events are removed after their time, and a reader that has missed some is refused', async () => {
  const id = await create()
  const { events } = await list(`~/sandboxes/${id}/events`)
  const cursor = events[0]?.id ?? ''
  assert.equal((await list(`~/events?cursor=${cursor}&subject=${id}`)).events.length, events.length - 1)
  // Events cannot be changed, so instead of making them older the limit is moved into the future.
  await removeOldEvents(database.db, -1)
  const { status, body } = await here.get(`~/events?cursor=${cursor}`)
  assert.deepEqual([status, body.code], [409, 'event.CURSOR_EXPIRED'])
  const stream = await here.get('~/events', {
    headers: { accept: 'text/event-stream', 'last-event-id': cursor },
  })
  assert.deepEqual([stream.status, stream.body.code], [409, 'event.CURSOR_EXPIRED'])
  await extend(id)
  const left = await eventsWhen(here, `~/sandboxes/${id}/events`, all => all.length > 0)
  assert.deepEqual(typesOf(left), ['sandbox.extended'])
  // An id that is not in the log yet is of a database that was set back.
  const later = await here.get('~/events?cursor=evt_00ffffffffff000000000001')
  assert.deepEqual([later.status, later.body.code], [409, 'event.CURSOR_EXPIRED'])
})

test('Last-Event-ID must be the id of an event', async () => {
  const headers = { accept: 'text/event-stream', 'last-event-id': 'x' }
  const { status, body } = await here.get('~/events', { headers })
  assert.deepEqual([status, body.code], [400, 'request.INVALID'])
})
