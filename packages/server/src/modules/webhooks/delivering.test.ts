import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { forgetDeliveries } from './forget-deliveries.ts'
import { verify } from './testing/receiver.ts'
import { WebhookWorld } from './testing/webhook-world.ts'

const world = await WebhookWorld.start()
const { service } = world

test('an event arrives in the form of Standard Webhooks, with a signature that its library verifies', async () => {
  const { receiver, secret, id } = await world.hook()
  await world.happen('sandbox-1')
  await waitFor(() => receiver.got.length === 1)
  const [received] = receiver.got
  assert.ok(received)
  verify(secret, received)
  assert.throws(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`, received), /signature/)
  const { type, timestamp, data } = received.body
  assert.equal(type, 'sandbox.extended')
  assert.equal(received.id, data.id)
  assert.equal(timestamp, data.time)
  assert.deepEqual([data.subject, data.orgId], ['sandbox-1', service.orgId])
  assert.equal(received.headers['content-type'], 'application/json')
  assert.equal(received.path, '/hook?token=hush')
  await service.remove(`~/webhooks/${id}`)
})

test('a delivery shows its request and its responses, without signature and secret', async () => {
  const hook = await world.hook(
    response => void response.writeHead(202, { 'content-type': 'text/plain' }).end(`\0${'x'.repeat(5000)}`),
  )
  await world.happen('inspected')
  const delivery = await world.attempted(hook, 1)
  assert.deepEqual([delivery.status, delivery.lastStatus, delivery.lastError], ['delivered', 202, null])
  const [received] = hook.receiver.got
  assert.deepEqual(delivery.request, {
    headers: { 'content-type': 'application/json', 'webhook-id': received?.id },
    body: received?.text,
  })
  assert.equal(delivery.responses.length, 1)
  assert.equal(delivery.responses[0]?.body, 'x'.repeat(1023))
  assert.equal(delivery.responses[0]?.contentType, 'text/plain')
  const page = await service.get(`~/webhooks/${hook.id}/deliveries?limit=1`)
  assert.ok(!page.text.includes('hush') && !page.text.includes(hook.secret))
  await service.remove(`~/webhooks/${hook.id}`)
})

test('a webhook receives only the types that it asks for', async () => {
  const [all, some, none] = [
    await world.hook(),
    await world.hook(undefined, { types: ['sandbox.*'] }),
    await world.hook(undefined, { types: ['volume.created'] }),
  ]
  await world.happen('filtered')
  await waitFor(() => all.receiver.got.length > 0 && some.receiver.got.length > 0)
  assert.deepEqual(some.receiver.types, ['sandbox.extended'])
  const { body } = await service.call('PATCH', `~/webhooks/${none.id}`, {
    body: { types: ['sandbox.extended'] },
  })
  assert.deepEqual(body.types, ['sandbox.extended'])
  await world.happen('filtered-later')
  await waitFor(() => none.receiver.got.length > 0)
  assert.deepEqual(
    none.receiver.got.map(({ body: { data } }) => data.subject),
    ['filtered-later'],
  )
  for (const { id } of [all, some, none]) await service.remove(`~/webhooks/${id}`)
})

test('messages about a subject arrive in order, and others do not wait for them', async () => {
  const delays = [7, 0, 3, 12, 1]
  const hook = await world.hook(async (response, { body }) => {
    const ms = delays[Number(body.data.subject)] ?? 0
    await new Promise(resolve => setTimeout(resolve, ms))
    response.end()
  })
  const subjects = Array.from({ length: 100 }, (_, n) => String(n % delays.length))
  await world.happen(...subjects)
  await waitFor(() => hook.receiver.got.length === subjects.length)
  for (const subject of new Set(subjects)) {
    const ids = hook.receiver.got.filter(({ body }) => body.data.subject === subject).map(({ id }) => id)
    assert.deepEqual(ids, ids.toSorted())
    assert.equal(new Set(ids).size, subjects.length / delays.length)
  }
  await service.remove(`~/webhooks/${hook.id}`)
})

test('a message that fails is sent again with the same id, and the endpoint recovers', async () => {
  const hook = await world.hook(response => void response.writeHead(500).end('broken'))
  await world.happen('retried')
  const failed = await world.attempted(hook, 1)
  assert.deepEqual([failed.status, failed.lastStatus], ['pending', 500])
  assert.equal(failed.responses[0]?.body, 'broken')
  const since = (await service.get(`~/webhooks/${hook.id}`)).body.failingSince
  assert.ok(since)
  hook.receiver.answer = response => void response.end()
  await world.pass('6 seconds')
  const delivered = await world.attempted(hook, 2)
  assert.equal(delivered.status, 'delivered')
  assert.equal(new Set(hook.receiver.ids).size, 1)
  for (const received of hook.receiver.got) verify(hook.secret, received)
  await waitFor(async () => (await service.get(`~/webhooks/${hook.id}`)).body.failingSince === null)
  await service.remove(`~/webhooks/${hook.id}`)
})

test('a message is sent ten times in three days; then its endpoint is disabled, and an event says so', async () => {
  const hook = await world.hook(response => void response.writeHead(503).end(), { types: ['sandbox.*'] })
  const witness = await world.hook(undefined, { types: ['webhook.*'] })
  const hours = [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24]
  await world.happen('given-up')
  for (const [n, expected] of hours.entries()) {
    const { nextAttemptAt, responses } = await world.attempted(hook, n + 1)
    const last = responses.at(-1)
    assert.ok(last && nextAttemptAt)
    const waits = (Date.parse(nextAttemptAt) - Date.parse(last.at)) / 3_600_000
    // The time of the attempt is that of its start, and it may take a while on a slow box.
    assert.ok(
      waits >= expected && waits < expected * 1.1 + 120 / 3600,
      `attempt ${n + 2} waits ${waits} hours`,
    )
    await world.pass(`${Math.ceil(waits * 3600)} seconds`)
  }
  const { status, nextAttemptAt } = await world.attempted(hook, 10)
  assert.deepEqual([status, nextAttemptAt], ['failed', null])
  await waitFor(() => witness.receiver.got.length === 1)
  const { body } = await service.get(`~/webhooks/${hook.id}`)
  assert.deepEqual([body.enabled, body.disabledReason], [false, 'failing'])
  const { type, data } = witness.receiver.got[0]?.body ?? {}
  assert.deepEqual(
    [type, data.subject, data.data],
    ['webhook.disabled', hook.id, { reason: 'failing', origin: new URL(hook.receiver.url).origin }],
  )
  for (const { id } of [hook, witness]) await service.remove(`~/webhooks/${id}`)
})

test('an endpoint that answers 410 is disabled at once; enabled again, it misses nothing', async () => {
  const hook = await world.hook(response => void response.writeHead(410).end(), { types: ['sandbox.*'] })
  await world.happen('gone')
  await waitFor(async () => (await service.get(`~/webhooks/${hook.id}`)).body.disabledReason === 'gone')
  await world.happen('while-gone')
  hook.receiver.answer = response => void response.end()
  assert.equal(hook.receiver.got.length, 1)
  const { body } = await service.call('PATCH', `~/webhooks/${hook.id}`, { body: { enabled: true } })
  assert.deepEqual([body.enabled, body.failingSince], [true, null])
  await world.pass('6 seconds')
  await waitFor(() => hook.receiver.got.length === 3)
  const subjects = hook.receiver.got.map(({ body: { data } }) => data.subject)
  assert.deepEqual(subjects.toSorted(), ['gone', 'gone', 'while-gone'])
  await service.remove(`~/webhooks/${hook.id}`)
})

test('an endpoint that answers 429 is left alone for as long as its Retry-After says', async () => {
  const hook = await world.hook(response => void response.writeHead(429, { 'retry-after': '600' }).end())
  await world.happen('throttled')
  const { nextAttemptAt, responses } = await world.attempted(hook, 1)
  const waitsMs = Date.parse(nextAttemptAt ?? '') - Date.parse(responses[0]?.at ?? '')
  assert.ok(waitsMs >= 600_000, `it waits for ${waitsMs} ms`)
  hook.receiver.answer = response => void response.end()
  await world.happen('throttled-too')
  await world.pass('300 seconds')
  // A message to another webhook, which is sent by the same process, proves that this one would have been sent by now.
  const other = await world.hook()
  await world.happen('meanwhile')
  await waitFor(() => other.receiver.got.length === 1)
  assert.equal(hook.receiver.got.length, 1)
  await world.pass('301 seconds')
  await waitFor(() => hook.receiver.got.length === 4)
  for (const { id } of [hook, other]) await service.remove(`~/webhooks/${id}`)
})

test('a redirect is a failure, and is not followed', async () => {
  const other = await world.hook(undefined, { types: ['volume.created'] })
  const location = other.receiver.url
  const hook = await world.hook(response => void response.writeHead(307, { location }).end())
  await world.happen('redirected')
  const { status, lastStatus, lastError } = await world.attempted(hook, 1)
  assert.deepEqual([status, lastStatus], ['pending', 307])
  assert.match(lastError ?? '', /redirect/)
  assert.equal(other.receiver.got.length, 0)
  for (const { id } of [hook, other]) await service.remove(`~/webhooks/${id}`)
})

test('an endpoint that hangs delays no other, and its attempt ends after the time limit', async () => {
  const hanging = await world.hook(() => {})
  const dripping = await world.hook(response => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 100)
    response.on('close', () => clearInterval(timer))
  })
  const good = await world.hook()
  const subjects = Array.from({ length: 50 }, (_, n) => `busy-${n}`)
  await world.happen(...subjects)
  await waitFor(() => good.receiver.got.length === subjects.length)
  await waitFor(async () => (await world.deliveries(hanging)).some(({ attempts }) => attempts > 0))
  const tried = (await world.deliveries(hanging)).find(({ attempts }) => attempts > 0)
  assert.match(tried?.lastError ?? '', /did not answer in time/)
  // An answer whose status has arrived counts, even if its content never ends.
  await waitFor(async () => (await world.deliveries(dripping, '?status=delivered')).length > 0)
  for (const { id } of [hanging, dripping, good]) await service.remove(`~/webhooks/${id}`)
})

test('after a rotation, both secrets sign for a day, and then only the new one', async () => {
  const { id, secret: old, receiver } = await world.hook()
  const { body } = await service.post(`~/webhooks/${id}/secret/rotate`)
  assert.notEqual(body.secret, old)
  assert.ok(body.previousSecretUntil)
  const received = async (subject: string) => {
    await world.happen(subject)
    await waitFor(() => receiver.got.at(-1)?.body.data.subject === subject)
    const last = receiver.got.at(-1)
    assert.ok(last)
    return last
  }
  const during = await received('during')
  assert.match(during.headers['webhook-signature'] ?? '', /^v1,\S+ v1,\S+$/)
  for (const secret of [old, body.secret]) verify(secret, during)
  await world.pass('25 hours')
  const after = await received('after')
  verify(body.secret, after)
  assert.throws(() => verify(old, after), /signature/)
  assert.equal((await service.get(`~/webhooks/${id}`)).body.previousSecretUntil, null)
  await service.remove(`~/webhooks/${id}`)
})

test('a delivery can be sent again, with the same webhook-id', async () => {
  const hook = await world.hook()
  await world.happen('again')
  const { id } = await world.attempted(hook, 1)
  const { status, body } = await service.post(`~/webhooks/${hook.id}/deliveries/${id}/redeliver`)
  assert.deepEqual([status, body.status], [200, 'pending'])
  const again = await world.attempted(hook, 2)
  assert.equal(again.status, 'delivered')
  assert.deepEqual(hook.receiver.ids, [again.messageId, again.messageId])
  await service.remove(`~/webhooks/${hook.id}`)
})

test('a test message arrives, whatever types the webhook asks for', async () => {
  const hook = await world.hook(undefined, { types: ['volume.created'] })
  const { body } = await service.post(`~/webhooks/${hook.id}/test`)
  assert.deepEqual([body.type, body.status], ['webhook.test', 'pending'])
  await waitFor(() => hook.receiver.got.length === 1)
  const [received] = hook.receiver.got
  assert.ok(received)
  verify(hook.secret, received)
  assert.deepEqual([received.id, received.body.type], [body.messageId, 'webhook.test'])
  assert.deepEqual(received.body.data, { webhookId: hook.id })
  await service.remove(`~/webhooks/${hook.id}`)
})

test('a webhook gets only the events of its organization', async () => {
  const other = await service.otherOrganization()
  const hook = await world.hook()
  const theirs = await world.hook(undefined, {}, {})
  await sql`UPDATE webhooks SET org_id = ${other.orgId} WHERE id = ${theirs.id}`.execute(world.db)
  await world.happen('ours')
  await waitFor(() => hook.receiver.got.length === 1)
  const { body: message } = await service.post(
    `/api/orgs/${other.orgId}/webhooks/${theirs.id}/test`,
    undefined,
    {
      key: other.apiKey,
    },
  )
  await waitFor(() => theirs.receiver.ids.includes(message.messageId))
  assert.ok(theirs.receiver.got.every(({ body }) => body.data.subject !== 'ours'))
  await service.remove(`~/webhooks/${hook.id}`)
})

test('the oldest deliveries of a webhook that has too many are forgotten unless they are pending', async () => {
  const hook = await world.hook(
    (response, { body }) => void response.writeHead(body.data.subject === 'pending' ? 500 : 200).end(),
  )
  await world.happen('pending', 'first', 'second', 'third')
  await waitFor(async () => (await world.deliveries(hook, '?status=delivered')).length === 3)
  await forgetDeliveries(world.db, 7, 4)
  assert.equal((await world.deliveries(hook)).length, 4)
  await forgetDeliveries(world.db, 7, 1)
  assert.deepEqual((await world.deliveries(hook)).map(({ subject }) => subject).toSorted(), [
    'pending',
    'third',
  ])
  await service.remove(`~/webhooks/${hook.id}`)
})

test('old deliveries are forgotten unless they are pending, and so are those of a deleted webhook', async () => {
  const hook = await world.hook(
    (response, { body }) => void response.writeHead(body.data.subject === 'pending' ? 500 : 200).end(),
  )
  await world.happen('pending', 'done')
  await waitFor(async () => (await world.deliveries(hook, '?status=delivered')).length === 1)
  await sql`UPDATE webhook_deliveries SET created_at = created_at - interval '8 days'`.execute(world.db)
  await forgetDeliveries(world.db, 7)
  assert.deepEqual(
    (await world.deliveries(hook)).map(({ subject }) => subject),
    ['pending'],
  )
  await service.remove(`~/webhooks/${hook.id}`)
  await forgetDeliveries(world.db, 7)
  const left = world.db.selectFrom('webhook_deliveries').select('id').where('webhook_id', '=', hook.id)
  assert.equal((await left.execute()).length, 0)
})
