import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { Sandbox } from 'e2b'
import { recordCalls } from '../../../testing/e2b-calls/record-calls.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

recordCalls(import.meta.filename)
const { service } = await startMachineService()
const options = e2bOptions(service)
const sandbox = await Sandbox.create('small', { ...options, timeoutMs: 3_600_000 })
const { envdAccessToken } = sandbox as unknown as { readonly envdAccessToken: string }
const headers = {
  'e2b-sandbox-id': sandbox.sandboxId,
  'e2b-sandbox-port': '49983',
  'x-access-token': envdAccessToken,
}

function send(path: string, body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) {
  return fetch(service.service.url + path, { method: 'POST', headers: { ...headers, ...more }, body })
}

/** A message of a stream with its length, which may be a lie. */
function envelope(content: string, length = Buffer.byteLength(content), flags = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(5 + Buffer.byteLength(content))
  new DataView(bytes.buffer).setUint8(0, flags)
  new DataView(bytes.buffer).setUint32(1, length)
  bytes.set(Buffer.from(content), 5)
  return bytes
}

const stream = { 'content-type': 'application/connect+json', 'connect-protocol-version': '1' }
const start = '/process.Process/Start'

/** The error at the end of a stream. */
async function endOf(response: Response): Promise<string> {
  assert.equal(response.status, 200)
  const text = Buffer.from(await response.arrayBuffer()).toString('latin1')
  return /"code":"(\w+)"/.exec(text)?.[1] ?? text
}

test('malformed streams are refused with errors of the protocol', async () => {
  assert.equal(await endOf(await send(start, envelope('{}'), stream)), 'invalid_argument')
  assert.equal(await endOf(await send(start, envelope('{"process":'), stream)), 'invalid_argument')
  assert.equal(await endOf(await send(start, envelope('{}', 100), stream)), 'invalid_argument')
  assert.equal(await endOf(await send(start, envelope('{}', 2, 1), stream)), 'internal')
  assert.equal(await endOf(await send(start, 'no envelope at all', stream)), 'resource_exhausted')
  assert.equal(await endOf(await send(start, '', stream)), 'unimplemented')
})

test('a length that nobody could send is refused without memory for it', async () => {
  const before = process.memoryUsage().arrayBuffers
  for (const length of [0xff_ff_ff_ff, 0x7f_ff_ff_ff, 5 * 1024 * 1024])
    assert.equal(await endOf(await send(start, envelope('{}', length), stream)), 'resource_exhausted')
  assert.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 * 1024)
})

test('messages of a wrong kind, too large or unknown are errors of the client', async () => {
  const json = { 'content-type': 'application/json' }
  const statusOf = async (path: string, body: string, type: Record<string, string>) =>
    (await send(path, body, type)).status
  assert.equal(await statusOf('/process.Process/SendInput', '{"process":{"pid":"many"}}', json), 400)
  assert.equal(await statusOf('/process.Process/SendInput', '{"unknown":1}', json), 400)
  assert.equal(await statusOf('/process.Process/SendInput', '{}', json), 400)
  assert.equal(await statusOf('/process.Process/SendInput', 'x'.repeat(5_000_000), json), 429)
  assert.equal(
    await statusOf('/process.Process/List', '\u0000\u00ff', { 'content-type': 'application/proto' }),
    400,
  )
  assert.equal(await statusOf('/process.Process/List', '{}', { 'content-type': 'text/plain' }), 415)
  assert.equal(await statusOf('/process.Process/Reboot', '{}', json), 404)
  assert.equal(await statusOf('/other.Service/Method', '{}', json), 404)
  assert.equal(await statusOf('/init', '{}', json), 404)
  assert.equal(await statusOf('/files?path=', 'x', { 'content-type': 'application/octet-stream' }), 400)
  assert.equal(await statusOf('/files?path=a', 'x', { 'content-type': 'multipart/form-data' }), 400)
  const zipped = { 'content-type': 'application/octet-stream', 'content-encoding': 'gzip' }
  assert.equal(await statusOf('/files?path=a', 'not gzip', zipped), 400)
  const read = await fetch(`${service.service.url}/files?path=/tmp`, { headers })
  assert.equal(read.status, 400)
  const signature = `${service.service.url}/files?path=a&signature=v1_x&signature_expiration=soon`
  assert.equal((await fetch(signature, { headers: { ...headers, 'x-access-token': '' } })).status, 400)
})

test('binary messages work as well as JSON', async () => {
  const response = await send('/process.Process/List', '', { 'content-type': 'application/proto' })
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/proto')
})

test('addresses of sandboxes that are none lead nowhere', async () => {
  const other = await service.otherOrganization()
  const foreign = await Sandbox.list({ ...options, apiKey: other.apiKey }).nextItems()
  assert.deepEqual(foreign, [])
  for (const id of ['../../healthz', `${sandbox.sandboxId}x`, '00000000-0000-0000-0000-000000000000', '']) {
    const response = await send('/process.Process/List', '{}', { 'e2b-sandbox-id': id })
    assert.ok(response.status === 401 || response.status === 404, `${id}: ${response.status}`)
  }
})

test('a client that does not read holds up its command, and takes no memory for what it would print', async () => {
  const { port, hostname } = new URL(service.service.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  await once(socket, 'connect')
  const body = envelope(JSON.stringify({ process: { cmd: '/usr/bin/yes', args: ['flood'] } }))
  const lines = Object.entries({
    ...headers,
    ...stream,
    host: `${hostname}:${port}`,
    'content-length': body.length,
  })
  socket.write(
    `POST ${start} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  socket.write(body)
  await once(socket, 'readable')
  const before = process.memoryUsage().rss
  const running = async () => (await sandbox.commands.list()).filter(({ cmd }) => cmd === '/usr/bin/yes')
  const [flood] = await running()
  assert.ok(flood)
  // The program is blocked when it has used no more time of the processor between two looks.
  let used = ''
  await waitFor(async () => {
    const earlier = used
    used = (await sandbox.commands.run(`cut -d' ' -f14,15 /proc/${flood.pid}/stat`)).stdout
    return used === earlier
  })
  assert.ok(process.memoryUsage().rss - before < 256 * 1024 * 1024)
  socket.destroy()
  assert.equal(await sandbox.commands.kill(flood.pid), true)
})
