import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ConnectionError, Sandglass, type SandglassError } from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import { answer, type Fault, FaultyProxy, pass } from '../support/faulty-proxy.ts'
import { MachineInstallation } from '../support/machine-installation.ts'

const unhandled: unknown[] = []
process.on('unhandledRejection', reason => unhandled.push(reason))

const installation = await MachineInstallation.start()
const direct = new Sandglass(installation.credentials)
const proxy = await FaultyProxy.to(installation.credentials.url)
const client = new Sandglass({ ...installation.credentials, url: proxy.url })
const { id: sandboxId } = await direct.createSandbox({ body: { shapeName: 'small', wait: 60 } })
await waitFor(async () => (await direct.getSandboxStatus({ sandboxId })).status === 'RUNNING')

/** Follows the API keys as they are created. */
const created = (stream = client.stream('listEvents', { types: 'key.created' })) =>
  stream[Symbol.asyncIterator]()
const create = async (name: string) => (await direct.createApiKey({ body: { name } })).id
const connected = () => waitFor(async () => proxy.open.size === 1)
const gone = () => waitFor(async () => proxy.open.size === 0)
const text = (base64: string) => Buffer.from(base64, 'base64').toString()

/** The connection is there, and nothing comes. */
const freeze: Fault = async ({ outgoing, forward }) => {
  const { statusCode = 0, headers } = await forward()
  outgoing.writeHead(statusCode, headers).flushHeaders()
}

/** Passes a request on. The promise resolves when the stream has been told where it begins, after which it misses nothing. */
function passUntilBegun() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const fault: Fault = async ({ outgoing, forward }) => {
    const answer = await forward()
    answer.once('data', () => setImmediate(resolve))
    outgoing.writeHead(200, answer.headers)
    answer.pipe(outgoing)
  }
  return { fault, begun: promise }
}

test('a stream continues after the last event when its connection is lost, also before the first event', async () => {
  const { fault, begun } = passUntilBegun()
  proxy.fail(fault)
  const events = created()
  const first = events.next()
  await begun
  proxy.cut()
  const expected = [await create('while it was lost')]
  await connected()
  expected.push(await create('when it was back'))
  const seen = [(await first).value?.subject, (await events.next()).value?.subject]
  proxy.cut()
  expected.push(await create('while it was lost again'))
  seen.push((await events.next()).value?.subject)
  assert.deepEqual(seen, expected)
  await events.return()
  await gone()
})

test('a stream on which nothing comes is lost, and one that is not read for a while is not', async () => {
  const impatient = new Sandglass({ ...installation.credentials, url: proxy.url, streamSilenceMs: 500 })
  proxy.fail(pass, freeze)
  const events = created(impatient.stream('listEvents', { types: 'key.created' }))
  const next = events.next()
  await waitFor(async () => proxy.seen.length >= 3)
  const id = await create('after the silence')
  assert.equal((await next).value?.subject, id)
  const connections = proxy.seen.length
  const later = await create('while nobody reads')
  await setTimeout(1000)
  assert.equal((await events.next()).value?.subject, later)
  assert.equal(proxy.seen.length, connections)
  await events.return()
  await gone()
})

test('leaving the loop, close and the signal close the connection', async () => {
  const since = new Date(0).toISOString()
  for await (const _ of client.stream('listEvents', { since })) break
  await gone()

  const closed = client.stream('listEvents')
  const read = Array.fromAsync(closed)
  await connected()
  closed.close()
  assert.deepEqual(await read, [])
  assert.deepEqual(await Array.fromAsync(closed), [], 'it stays closed')
  await gone()

  const abort = new AbortController()
  const aborted = Array.fromAsync(client.stream('listEvents', {}, { signal: abort.signal }))
  aborted.catch(() => {})
  await connected()
  const reason = new Error('enough')
  abort.abort(reason)
  await assert.rejects(aborted, error => error === reason)
  await gone()
})

test('a reader that cannot continue is told so', async () => {
  const expired = { code: 'event.CURSOR_EXPIRED', message: 'These events are no longer kept.' }
  const { fault, begun } = passUntilBegun()
  proxy.fail(fault, answer(410, {}, expired))
  const events = created()
  const next = events.next()
  next.catch(() => {})
  await begun
  const id = await create('before it expired')
  assert.equal((await next).value?.subject, id)
  proxy.cut()
  await assert.rejects(events.next(), (error: SandglassError) => error.code === 'event.CURSOR_EXPIRED')

  const changes = client.watchSandboxFiles({ sandboxId })[Symbol.asyncIterator]()
  let isSeen = false
  const change = changes.next().then(() => {
    isSeen = true
  })
  change.catch(() => {})
  await connected()
  // Nobody learns when a watch has begun.
  await waitFor(async () => {
    await client.writeSandboxFile({ sandboxId, path: 'watched', body: 'x' })
    return isSeen
  })
  proxy.cut()
  const missed = async () => {
    for (;;) if ((await changes.next()).done) return
  }
  await assert.rejects(missed(), ConnectionError, 'changes may have been missed')

  proxy.fail(answer(200, {}, '<h1>Log in</h1>'))
  await assert.rejects(created().next(), (error: SandglassError) => error.code === 'client.WRONG_SERVICE')
})

test('the output of a command is complete and in order, although its connection is lost again and again', async () => {
  const body = { command: 'i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo $i; sleep 0.005; done' }
  proxy.fail()
  let output = ''
  let losses = 0
  for await (const event of client.streamSandboxShell({ sandboxId, body })) {
    if ('stdout' in event) output += text(event.stdout)
    if (losses < 3 && output.split('\n').length > 60 * (losses + 1)) {
      losses++
      proxy.cut()
    }
  }
  assert.equal(output, Array.from({ length: 400 }, (_, index) => `${index + 1}\n`).join(''))
  assert.equal(losses, 3)
  assert.equal(proxy.seen.length, 4)
})

for (const signal of ['SIGTERM', 'SIGKILL'] as const)
  test(`streams survive a restart of the service after ${signal}, and a shell says what became of it`, async () => {
    const events = created(direct.stream('listEvents', { types: 'key.created' }))
    const next = events.next()
    const { sessionId: shellId } = await direct.createSandboxShell({
      sandboxId,
      body: { command: 'echo begun; exec sleep 1000' },
    })
    const shell = direct.attachSandboxShell({ sandboxId, shellId })[Symbol.asyncIterator]()
    assert.deepEqual((await shell.next()).value, { stdout: Buffer.from('begun\n').toString('base64') })
    const rest = shell.next()
    rest.catch(() => {})
    installation.service.signal(signal)
    await installation.service.exit()
    await installation.startAgain()
    const id = await create(`after ${signal}`)
    assert.equal((await next).value?.subject, id)
    await events.return()
    // A service that stops ends its shells. Of one that was killed, nobody knows the shells any more.
    if (signal === 'SIGTERM') assert.deepEqual((await rest).value, { end: '' })
    else await assert.rejects(rest, (error: SandglassError) => error.code === 'shell.NOT_FOUND')
  })

test('nothing was rejected without being handled', async () => {
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(unhandled, [])
})
