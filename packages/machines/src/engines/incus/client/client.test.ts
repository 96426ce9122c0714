import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { MachineError } from '../../../contract/errors.ts'
import { waitFor } from '../../../testing/index.ts'
import { type ClientOptions, IncusClient, IncusError, makeClientCertificate } from './index.ts'
import { FakeIncus } from './testing/fake-incus.ts'

async function onSocket(t: TestContext, options?: ClientOptions) {
  const fake = await FakeIncus.onSocket()
  t.after(() => fake.close())
  const incus = new IncusClient({ socket: fake.socket }, options)
  t.after(() => incus.close())
  return { fake, incus }
}

const withCode = (code: string) => (error: unknown) => error instanceof MachineError && error.code === code

test('a call carries its project, and gives the metadata of the answer', async t => {
  const { fake, incus } = await onSocket(t, { project: 'ours' })
  fake.serve('GET /1.0/instances', ['/1.0/instances/a'])
  assert.deepEqual(await incus.get('/instances?recursion=0'), ['/1.0/instances/a'])
  await incus.get('/instances', { project: 'other' })
  assert.deepEqual(fake.requests, [
    'GET /1.0/instances?recursion=0&project=ours',
    'GET /1.0/instances?project=other',
  ])
})

test('refusals keep what Incus said, and callers can decide by their code', async t => {
  const { fake, incus } = await onSocket(t)
  for (const [status, reason, code] of [
    [404, 'Instance not found', 'NOT_FOUND'],
    [400, 'Invalid name', 'INVALID'],
    [400, 'Instance is not running', 'STATE'],
    [409, 'Instance "a" already exists', 'EXISTS'],
    [412, 'ETag does not match', 'STATE'],
    [500, 'Failed to run: mkfs', 'MACHINE_FAILED'],
    [500, 'write /x: no space left on device', 'HOST_FULL'],
    [500, 'Get "https://10.0.0.2:8443": dial tcp 10.0.0.2:8443: i/o timeout', 'UNREACHABLE'],
    [503, 'Service unavailable', 'UNREACHABLE'],
  ] as const) {
    fake.refuse('PUT /1.0/instances/a', status, reason)
    await assert.rejects(incus.send('PUT', '/instances/a', {}), error => {
      assert.ok(error instanceof IncusError)
      assert.equal(error.code, code, reason)
      assert.equal(error.status, status)
      return true
    })
  }
})

test('an answer that never comes, and one that is not of Incus, make the cluster unreachable', async t => {
  const { fake, incus } = await onSocket(t, { deadlineMs: 50 })
  fake.handlers.set('GET /1.0/instances/hangs', () => {})
  fake.handlers.set('GET /1.0/instances/stops', (_, response) => response.write('{"type":"sync",'))
  fake.handlers.set('GET /1.0/instances/strange', (_, response) => response.end('<html>'))
  for (const name of ['hangs', 'stops', 'strange'])
    await assert.rejects(incus.get(`/instances/${name}`), withCode('UNREACHABLE'), name)
  const nobody = new IncusClient({ socket: `${fake.socket}.missing` })
  await assert.rejects(nobody.get('/instances'), withCode('UNREACHABLE'))
})

test('an abort ends the call with its reason', async t => {
  const { fake, incus } = await onSocket(t)
  const stop = new AbortController()
  fake.handlers.set('GET /1.0/instances', () => stop.abort(new Error('enough')))
  await assert.rejects(incus.get('/instances', { signal: stop.signal }), /enough/)
})

test('an operation is awaited by its id, and its failure is an error', async t => {
  const { fake, incus } = await onSocket(t)
  const started = fake.start('PUT /1.0/instances/a/state')
  // Incus' answer to a wait that took too long.
  fake.refuse(`GET /1.0/operations/${started}/wait`, 500, 'context deadline exceeded')
  fake.handlers.set(`GET /1.0/operations/${started}`, (_, response) => {
    const metadata = { id: started, status: 'Running', status_code: 103 }
    response.end(JSON.stringify({ type: 'sync', metadata }))
    fake.end(started, 200, '', { done: true })
  })
  const { metadata } = await incus.run('PUT', '/instances/a/state', { action: 'start' })
  assert.deepEqual(metadata, { done: true })

  const failed = fake.start('PUT /1.0/instances/a/state')
  fake.end(failed, 400, 'The instance is already running')
  await assert.rejects(incus.run('PUT', '/instances/a/state', { action: 'start' }), withCode('STATE'))

  fake.start('PUT /1.0/instances/a/state')
  await assert.rejects(incus.run('PUT', '/instances/a/state', {}), withCode('UNREACHABLE'))
})

test('a stream is uploaded to a member that answers', async t => {
  const { fake, incus } = await onSocket(t)
  fake.serve('GET /1.0', {})
  const id = fake.start('POST /1.0/images')
  fake.end(id, 200)
  const accept = fake.handlers.get('POST /1.0/images')
  let received = 0
  fake.handlers.set('POST /1.0/images', async (request, response) => {
    for await (const piece of request) received += piece.length
    accept?.(request, response)
  })
  const content = Readable.from([Buffer.alloc(100_000), Buffer.alloc(200_000)])
  await incus.upload('/images', content, { 'content-type': 'application/octet-stream' })
  assert.equal(received, 300_000)
})

test('the next member is asked when one does not answer, and only the pinned certificate is trusted', async t => {
  const [server, other, client] = await Promise.all(['a', 'b', 'c'].map(makeClientCertificate))
  assert.ok(server && other && client)
  const [first, second, impostor] = await Promise.all([server, server, other].map(FakeIncus.onTls))
  assert.ok(first && second && impostor)
  t.after(() => Promise.all([first, second, impostor].map(fake => fake.close())))
  for (const fake of [first, second, impostor]) fake.serve('GET /1.0/instances', [])
  const urls = [impostor.url, first.url, second.url]
  const incus = new IncusClient({ urls, ...client, serverCertificate: server.certificate })
  t.after(() => incus.close())
  await incus.get('/instances')
  await incus.get('/instances')
  assert.deepEqual(
    [impostor, first, second].map(fake => fake.requests.length),
    [0, 2, 0],
  )
  await first.close()
  await incus.get('/instances')
  assert.equal(second.requests.length, 1)
})

async function twoMembers(t: TestContext) {
  const [server, client] = await Promise.all(['a', 'b'].map(makeClientCertificate))
  assert.ok(server && client)
  const [first, second] = await Promise.all([server, server].map(FakeIncus.onTls))
  assert.ok(first && second)
  t.after(() => Promise.all([first, second].map(fake => fake.close())))
  const urls = [first.url, second.url]
  const incus = new IncusClient({ urls, ...client, serverCertificate: server.certificate })
  t.after(() => incus.close())
  return { first, second, incus }
}

test('a member that waits for another one is still the first that is asked', async t => {
  const { first, second, incus } = await twoMembers(t)
  first.serve('GET /', {})
  first.serve('GET /1.0/instances', [])
  first.handlers.set('GET /1.0/cluster/members/dead/state', () => {})
  await assert.rejects(
    incus.get('/cluster/members/dead/state', { deadlineMs: 2500 }),
    withCode('UNREACHABLE'),
  )
  await incus.get('/instances')
  assert.equal(second.requests.length, 0)
})

test('a member that falls silent does not keep a question until its deadline, and is avoided', async t => {
  const { first, second, incus } = await twoMembers(t)
  // As over a connection that was cut off, nothing is answered.
  for (const path of ['/', '/1.0/instances']) first.handlers.set(`GET ${path}`, () => {})
  second.serve('GET /1.0/instances', ['there'])
  assert.deepEqual(await incus.get('/instances', { deadlineMs: 60_000 }), ['there'])
  const asked = first.requests.length
  await incus.get('/instances')
  assert.equal(first.requests.length, asked)
})

test('events go on after a loss, and the listener learns of it', async t => {
  const { fake, incus } = await onSocket(t, { pingEveryMs: 300 })
  const seen: string[] = []
  const events = incus.events(['lifecycle', 'cluster'], {
    event: ({ type }) => seen.push(type),
    connected: () => seen.push('connected'),
    disconnected: () => seen.push('disconnected'),
  })
  t.after(() => events.close())
  const send = () =>
    fake.webSockets.get('lifecycle,cluster')?.send('{"type":"lifecycle","timestamp":"now","metadata":{}}')
  await waitFor(() => seen.length >= 1)
  send()
  await waitFor(() => seen.length >= 2)
  fake.cut()
  await waitFor(() => seen.length >= 4)
  send()
  await waitFor(() => seen.length >= 5)
  fake.isSilent = true
  await waitFor(() => seen.length > 6)
  const round = ['connected', 'lifecycle', 'disconnected']
  assert.deepEqual(seen.slice(0, 7), [...round, ...round, 'connected'])
})
