import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Sandbox } from 'e2b'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { resolveNamesToLoopback } from '../../../testing/names.ts'
import { startMachineService } from '../../../testing/test-machines.ts'
import { startGuestServer } from './testing/guest-server.ts'

resolveNamesToLoopback()
const { service } = await startMachineService({ env: { SANDGLASS_MAPPING_DOMAIN: 'apps.example.test' } })
const { port } = new URL(service.service.url)
const options = e2bOptions(service)
const sandbox = await Sandbox.create('small', { ...options, timeoutMs: 3_600_000 })
const { sandboxId, trafficAccessToken: token = '' } = sandbox
await startGuestServer(sandbox, 3000)

async function ask(host: string, path: string, headers: Record<string, string>) {
  const asked = request({ hostname: '127.0.0.1', port, path, headers: { ...headers, host } }).end()
  const [response] = await once(asked, 'response')
  return { status: response.statusCode, body: await text(response) }
}

test('the ports and the daemon of a sandbox are below the domain of the operator', async () => {
  const host = sandbox.getHost(3000)
  assert.equal(host, `3000-${sandboxId}.apps.example.test`)
  const { status, body } = await ask(host, '/page', { 'e2b-traffic-access-token': token })
  assert.equal(status, 200, body)
  assert.deepEqual(
    [JSON.parse(body).target, JSON.parse(body).headers[0]],
    ['/page', ['host', 'localhost:3000']],
  )
  const there = new Sandbox({
    ...options,
    sandboxUrl: `http://49983-${sandboxId}.apps.example.test:${port}`,
    sandboxId,
    envdVersion: '0.6.1',
    envdAccessToken: (sandbox as unknown as { readonly envdAccessToken: string }).envdAccessToken,
  })
  assert.equal((await there.commands.run('echo hello')).stdout, 'hello\n')
  await there.files.write('there.txt', 'written')
  assert.equal(await sandbox.files.read('there.txt'), 'written')
})

test('a signed URL at the host of the daemon needs no headers', async () => {
  await sandbox.files.write('signed.txt', 'signed')
  const { pathname, search } = new URL(await sandbox.downloadUrl('signed.txt'))
  const { status, body } = await ask(`49983-${sandboxId}.apps.example.test`, pathname + search, {})
  assert.deepEqual([status, body], [200, 'signed'])
})

test('the rest of the API is not below that domain, and headers do not lead a mapping to a sandbox', async () => {
  const daemon = `49983-${sandboxId}.apps.example.test`
  for (const path of ['/healthz', '/api/orgs', '/sandboxes', '/'])
    assert.equal((await ask(daemon, path, { 'x-api-key': options.apiKey })).status, 401, path)
  assert.equal((await ask('other.apps.example.test', '/healthz', {})).status, 404)
  const named = { 'e2b-sandbox-id': sandboxId, 'e2b-sandbox-port': '3000', 'e2b-traffic-access-token': token }
  assert.equal((await ask('other.apps.example.test', '/', named)).status, 404)
  const rebound = { ...named, 'e2b-sandbox-port': '49983' }
  assert.equal((await ask('evil.example', '/health', rebound)).status, 403)
})
