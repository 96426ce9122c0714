import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import {
  ConflictError,
  ConnectionError,
  NotFoundError,
  RateLimitError,
  Sandglass,
  type SandglassError,
  TimeoutError,
  UnavailableError,
} from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../../packages/server/src/testing/make-sandbox.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { answer, FaultyProxy, faults } from '../support/faulty-proxy.ts'

const unhandled: unknown[] = []
process.on('unhandledRejection', reason => unhandled.push(reason))

const { service } = await startMachineService()
const { credentials } = service.service
const proxy = await FaultyProxy.to(service.service.url)
const client = new Sandglass({ ...credentials, url: proxy.url })
const sandboxId = await makeSandbox(service)

const busy = { code: 'service.UNAVAILABLE', message: 'Busy.' }
const limited = { code: 'rate.LIMITED', message: 'Too many requests.' }

/** Adds a line to a file in the machine, so that an action that is done twice is noticed. */
const addLine = (file: string) =>
  client.execSandboxProcess({
    sandboxId,
    body: { executable: 'sh', args: ['-c', `echo line >> ${file}`] },
  })
const linesOf = async (file: string) =>
  (await (await client.readSandboxFile({ sandboxId, path: file })).text()).split('\n').length - 1

const codeIs = (code: string) => (error: SandglassError) => error.code === code

for (const fault of ['dropBefore', 'dropAfter', 'dropHalfway', 'truncate'] as const)
  test(`a create is made once, although its connection has this fault: ${fault}`, async () => {
    proxy.fail(faults[fault])
    const project = await client.createProject({ body: { name: fault } })
    assert.equal(proxy.seen.length, 2)
    const [first, second] = proxy.seen.map(({ headers }) => headers['idempotency-key'])
    assert.ok(first)
    assert.equal(first, second)
    const named = (await client.listProjects()).filter(({ name }) => name === fault)
    assert.deepEqual(
      named.map(({ id }) => id),
      [project.id],
    )
    await client.createProject({ body: { name: fault } })
    assert.notEqual(proxy.seen.at(-1)?.headers['idempotency-key'], first, 'another create has another key')
  })

test('a create that another attempt is still making is waited for', async () => {
  proxy.fail(answer(409, { 'retry-after': '0' }, { code: 'idempotency.IN_PROGRESS', message: 'Wait.' }))
  const { id } = await client.createProject({ body: { name: 'waited for' } })
  assert.ok(id)
  proxy.fail(answer(409, {}, { code: 'idempotency.KEY_REUSED', message: 'Used.' }))
  await assert.rejects(client.createProject({ body: { name: 'reused' } }), ConflictError)
  assert.equal(proxy.seen.length, 1)
})

test('a create that shows a secret once is not repeated, because the secret would be missing', async () => {
  proxy.fail(faults.dropAfter)
  await assert.rejects(client.createApiKey({ body: { name: 'lost' } }), codeIs('client.DISCONNECTED'))
  assert.equal(proxy.seen.length, 1)
})

test('an action is not repeated if the service may have done it', async () => {
  for (const fault of [faults.dropAfter, faults.truncate, faults.dropHalfway]) {
    proxy.fail(fault)
    await assert.rejects(addLine('once'), ConnectionError)
    assert.equal(proxy.seen.length, 1)
  }
  assert.equal(await linesOf('once'), 3)
  proxy.fail(answer(502, { 'retry-after': '0' }, '<h1>Bad gateway</h1>'))
  await assert.rejects(addLine('once'), (error: SandglassError) => {
    assert.ok(error instanceof UnavailableError)
    assert.deepEqual([error.code, error.status], ['client.PROXY', 502])
    return true
  })
  assert.equal(proxy.seen.length, 1)
})

test('an action that the service has refused for now is done once, later', async () => {
  proxy.fail(answer(503, { 'retry-after': '0' }, busy), answer(429, { 'retry-after': '1' }, limited))
  await addLine('refused')
  assert.equal(await linesOf('refused'), 1)
  const [, second, third] = proxy.seen
  assert.ok((third?.atMs ?? 0) - (second?.atMs ?? 0) >= 999, 'not before Retry-After')
})

test('who should wait for too long is told so at once', async () => {
  for (const [seconds, options] of [
    ['600', {}],
    ['30', { timeoutMs: 20_000 }],
    ['1', { retries: 0 }],
  ] as const) {
    proxy.fail(answer(429, { 'retry-after': seconds, 'x-request-id': 'req-1' }, { ...limited, limit: 5 }))
    await assert.rejects(client.getStats({}, options), (error: SandglassError) => {
      assert.ok(error instanceof RateLimitError)
      assert.deepEqual(
        [error.code, error.status, error.requestId, error.retryAfterSeconds, error.fields],
        ['rate.LIMITED', 429, 'req-1', Number(seconds), { limit: 5 }],
      )
      return true
    })
    assert.equal(proxy.seen.length, 1)
  }
})

test('what only reads is repeated, a few times', async () => {
  proxy.fail(faults.dropBefore, faults.truncate, answer(503, {}, '<h1>Unavailable</h1>'))
  assert.ok(await client.getStats())
  assert.equal(proxy.seen.length, 4)
  proxy.fail(faults.dropBefore, faults.dropBefore)
  await assert.rejects(client.getStats({}, { retries: 1 }), codeIs('client.DISCONNECTED'))
  assert.equal(proxy.seen.length, 2)
})

test('what was deleted, although the answer was lost, counts as deleted; what never was, does not', async () => {
  const { id: projectId } = await client.createProject({ body: { name: 'short-lived' } })
  proxy.fail(faults.dropAfter)
  assert.equal(await client.deleteProject({ projectId }), undefined)
  assert.equal(proxy.seen.length, 2)
  proxy.fail(answer(429, { 'retry-after': '0' }, limited))
  await assert.rejects(client.deleteProject({ projectId }), NotFoundError)
})

test('a body that is a stream is sent once', async () => {
  proxy.fail(faults.dropAfter)
  const body = new Blob(['streamed']).stream()
  await assert.rejects(client.writeSandboxFile({ sandboxId, path: 'streamed', body }), ConnectionError)
  assert.equal(proxy.seen.length, 1)
  await client.writeSandboxFile({ sandboxId, path: 'streamed', body: new Blob(['again']).stream() })
  assert.equal(await (await client.readSandboxFile({ sandboxId, path: 'streamed' })).text(), 'again')
  proxy.fail(faults.dropAfter)
  await client.writeSandboxFile({ sandboxId, path: 'streamed', body: 'text' })
  assert.equal(proxy.seen.length, 2, 'other bodies can be sent again')
})

for (const fault of ['stall', 'stallHalfway'] as const)
  test(`a proxy with the fault ${fault} is waited for no longer than timeoutMs, or until the signal`, async () => {
    proxy.fail(faults[fault])
    await assert.rejects(client.getStats({}, { timeoutMs: 300 }), (error: SandglassError) => {
      assert.ok(error instanceof TimeoutError)
      assert.match(error.message, /^getStats took longer than 300 ms/)
      return true
    })
    await waitFor(async () => proxy.open.size === 0)
    proxy.fail(faults[fault])
    const abort = new AbortController()
    const reason = new Error('I have changed my mind')
    const call = client.getStats({}, { signal: abort.signal })
    call.catch(() => {})
    await waitFor(async () => proxy.seen.length === 1)
    abort.abort(reason)
    await assert.rejects(call, error => error === reason)
    await waitFor(async () => proxy.open.size === 0)
  })

test('a call that has ended leaves no listener at its signal, and an aborted signal prevents it', async () => {
  const abort = new AbortController()
  const { signal } = abort
  const left = () => getEventListeners(signal, 'abort').length
  await client.getStats({}, { signal })
  await assert.rejects(client.getSandbox({ sandboxId: 'none' }, { signal }), NotFoundError)
  const bytes = await client.readSandboxFile({ sandboxId, path: '.profile' }, { signal })
  assert.equal(left(), 1, 'bytes on their way can be aborted')
  await bytes.bytes()
  const streamed = await client.readSandboxFile({ sandboxId, path: '.profile' }, { signal })
  for await (const _ of streamed.stream);
  await (await client.readSandboxFile({ sandboxId, path: '.profile' }, { signal })).cancel()
  for await (const _ of client.stream('listEvents', { since: '2020-01-01T00:00:00Z' }, { signal })) break
  assert.equal(left(), 0)
  abort.abort()
  proxy.fail()
  await assert.rejects(client.getStats({}, { signal }), { name: 'AbortError' })
  assert.equal(proxy.seen.length, 0)
})

test('bytes that are lost or aborted halfway are an error, and those that are cancelled end', async () => {
  const size = 4_000_000
  await client.writeSandboxFile({ sandboxId, path: 'large', body: new Uint8Array(size) })
  const read = (options = {}) => client.readSandboxFile({ sandboxId, path: 'large' }, options)
  assert.equal((await (await read()).bytes()).length, size)
  proxy.fail(faults.dropHalfway, faults.dropHalfway)
  await assert.rejects((await read()).bytes(), codeIs('client.DISCONNECTED'))
  await assert.rejects(Array.fromAsync((await read()).stream), codeIs('client.DISCONNECTED'))
  proxy.fail(faults.stallHalfway, faults.stallHalfway)
  const abort = new AbortController()
  const bytes = (await read({ signal: abort.signal })).bytes()
  abort.abort(new Error('enough'))
  await assert.rejects(bytes, { message: 'enough' })
  {
    await using unread = await read()
    assert.equal(unread.headers.get('content-type'), 'application/octet-stream')
  }
  await waitFor(async () => proxy.open.size === 0)
})

test('an answer for which the fetch of Node would not wait is waited for', async () => {
  const shared = globalThis as unknown as Record<symbol, { constructor: new (options: object) => object }>
  const symbol = Symbol.for('undici.globalDispatcher.1')
  const usual = shared[symbol]
  assert.ok(usual)
  shared[symbol] = new usual.constructor({ headersTimeout: 100, bodyTimeout: 100 }) as typeof usual
  try {
    // The timers of undici are no finer than a second.
    const body = { executable: 'sleep', args: ['3'] }
    await client.execSandboxProcess({ sandboxId, body }, { retries: 0 })
    await assert.rejects(
      client.execSandboxProcess({ sandboxId, body }, { retries: 0, timeoutMs: 60_000 }),
      codeIs('client.DISCONNECTED'),
      'the fetch of Node would not have waited',
    )
  } finally {
    shared[symbol] = usual
  }
})

test('nothing was rejected without being handled', async () => {
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(unhandled, [])
})
