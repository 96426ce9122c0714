import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { RunningSandbox } from '../packages/server/src/testing/running-sandbox.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()
const machines = await startMachineService({ env })
const elsewhere = await startTestService(env)
const sandbox = await RunningSandbox.start(machines)

const content = elsewhere.service.url + elsewhere.expand(`~/sandboxes/${sandbox.id}/files/content?path=a.bin`)
const key = { 'x-api-key': machines.service.service.credentials.apiKey }
const get = (method: string, headers: Record<string, string>) =>
  fetch(content, { method, headers: { ...key, ...headers } })

test('files stream both ways through a process that has not the machine', async () => {
  const bytes = randomBytes(5_000_000)
  const body = Readable.toWeb(Readable.from([bytes.subarray(0, 3_000_000), bytes.subarray(3_000_000)]))
  const put = await fetch(content, {
    method: 'PUT',
    headers: key,
    body: body as ReadableStream,
    duplex: 'half',
  })
  assert.equal(put.status, 200, await put.text())
  const whole = await get('GET', {})
  assert.ok(bytes.equals(Buffer.from(await whole.arrayBuffer())))

  const part = await get('GET', { range: 'bytes=1000-1999' })
  assert.equal(part.status, 206)
  assert.ok(bytes.subarray(1000, 2000).equals(Buffer.from(await part.arrayBuffer())))
  const head = await get('HEAD', {})
  assert.equal(head.headers.get('content-length'), '5000000')
  assert.equal((await get('GET', { 'if-none-match': head.headers.get('etag') ?? '' })).status, 304)
  assert.equal((await get('GET', { range: 'bytes=9000000-' })).status, 416)
})

test('a form and a watch pass through it too', async () => {
  const stop = new AbortController()
  const changes = await fetch(content.replace(/content.*/, 'changes?path=.'), {
    headers: key,
    signal: stop.signal,
  })
  const events = changes.body?.pipeThrough(new TextDecoderStream()).getReader()
  assert.ok(events)
  const form = new FormData()
  form.append('file', new File(['content'], 'of-a-form.txt'))
  const posted = await fetch(content.replace('a.bin', '.'), { method: 'POST', headers: key, body: form })
  assert.match(await posted.text(), /"success":true/)
  let seen = ''
  while (!seen.includes('"path":"of-a-form.txt"')) seen += (await events.read()).value ?? assert.fail(seen)
  stop.abort()
})
