import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import {
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  Sandglass,
  SandglassError,
  WrongServiceError,
} from '@sandglass/client'
import { freePort } from '@sandglass/machines/testing'
import { issueCertificate } from '../../packages/gateway/src/certificate/issue.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startTestService } from '../../packages/server/src/testing/test-service.ts'
import { answer, FaultyProxy, faults } from '../support/faulty-proxy.ts'
import { temporaryFolder } from '../support/service-process.ts'

const unhandled: unknown[] = []
process.on('unhandledRejection', reason => unhandled.push(reason))

const run = promisify(execFile)
const { service, orgId, ...testService } = await startTestService({ SANDGLASS_MACHINES: 'none' })
const { url, apiKey } = service.credentials
const proxy = await FaultyProxy.to(url)
const client = new Sandglass({ url: proxy.url, orgId, apiKey })

/** Expects that a call fails with this class and code, and with a message that says what to do. */
async function failsWith(
  call: () => Promise<unknown>,
  kind: typeof SandglassError,
  code: string,
  message: RegExp,
): Promise<void> {
  await assert.rejects(call(), (error: SandglassError) => {
    assert.ok(error instanceof kind && error instanceof SandglassError, String(error))
    assert.equal(error.name, kind.name)
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  })
}

test('a wrong URL, key or organization is named', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`
  const statsOf = (options: object) => () =>
    new Sandglass({ url, orgId, apiKey, retries: 0, ...options }).getStats()
  await failsWith(statsOf({ url: nobody }), ConnectionError, 'client.NOT_SENT', /SANDGLASS_URL/)
  await failsWith(statsOf({ apiKey: 'wrong' }), AuthenticationError, 'auth.INVALID', /SANDGLASS_API_KEY/)
  await failsWith(statsOf({ orgId: 'other' }), NotFoundError, 'organization.NOT_FOUND', /SANDGLASS_ORG/)
  const operate = () => new Sandglass({ url, orgId, apiKey }).listPlans()
  await failsWith(operate, PermissionError, 'auth.OPERATOR_ONLY', /operator/)
  const secure = url.replace('http:', 'https:')
  await failsWith(statsOf({ url: secure }), WrongServiceError, 'client.WRONG_SERVICE', /http or https/)
  for (const wrong of ['localhost:8080', 'ftp://localhost', 'nonsense', 'http://me:secret@localhost'])
    await failsWith(statsOf({ url: wrong }), ConfigurationError, 'client.NOT_CONFIGURED', /looks like/)
  await failsWith(statsOf({ apiKey: 'ключ' }), ConfigurationError, 'client.NOT_CONFIGURED', /^[^к]*$/)
})

test('a certificate that is not trusted is named, and not tried again', async () => {
  const pem = await issueCertificate(Date.now())
  const server = createServer({ key: pem, cert: pem })
  let connections = 0
  server.on('connection', () => connections++).listen(0, '127.0.0.1')
  cleanup.defer(() => void server.close())
  await once(server, 'listening')
  const there = `https://localhost:${(server.address() as AddressInfo).port}`
  const stats = () => new Sandglass({ url: there, orgId, apiKey }).getStats()
  await failsWith(stats, ConnectionError, 'client.UNTRUSTED', /NODE_EXTRA_CA_CERTS/)
  assert.equal(connections, 1)
})

test('what answers in place of the service, or is older than this library, is told from it', async () => {
  const stats = () => client.getStats()
  const page = '<html>Please log in</html>'
  for (const fault of [answer(200, {}, page), answer(404, {}, page), answer(403, {}, { error: 'no' })]) {
    proxy.fail(fault)
    await failsWith(stats, WrongServiceError, 'client.WRONG_SERVICE', /SANDGLASS_URL/)
    assert.equal(proxy.seen.length, 1)
  }
  for (const status of [301, 302, 307, 308]) {
    proxy.fail(answer(status, { location: 'https://example.com/x' }, page))
    await failsWith(
      () => client.createProject({ body: { name: 'redirected' } }),
      WrongServiceError,
      'client.REDIRECTED',
      /https:\/\/example\.com/,
    )
    assert.equal(proxy.seen.length, 1, 'the key goes nowhere else')
  }
  proxy.fail(faults.older)
  await failsWith(stats, WrongServiceError, 'route.NOT_FOUND', /older than this library/)
  assert.ok(!(await client.listProjects()).some(({ name }) => name === 'redirected'))
})

test('a service is reached below a base path, and through another fetch', async () => {
  const below = await FaultyProxy.to(url, '/cloud/sandglass')
  const through: string[] = []
  const other = new Sandglass({
    url: `${below.url}//`,
    orgId,
    apiKey,
    headers: { 'X-Team': 'ours' },
    fetch: (input, init) => {
      through.push(String(input))
      return fetch(input, init)
    },
  })
  assert.ok(await other.getStats({}, { headers: { 'x-call': 'one' } }))
  assert.equal(below.seen[0]?.path, `/cloud/sandglass/api/orgs/${orgId}/stats`)
  assert.deepEqual([below.seen[0]?.headers['x-team'], below.seen[0]?.headers['x-call']], ['ours', 'one'])
  assert.deepEqual(through, [`${below.url}/api/orgs/${orgId}/stats`])
  assert.deepEqual(await other.credentials(), { url: below.url, orgId, apiKey })
})

test('ids that would lead to another operation are refused before anything is sent', async () => {
  proxy.fail()
  for (const sandboxId of ['', '.', '..', undefined, null, {}])
    await failsWith(
      // A caller in JavaScript can pass anything.
      () => client.deleteSandbox({ sandboxId: sandboxId as string }),
      InvalidRequestError,
      'client.INVALID_INPUT',
      /sandboxId/,
    )
  assert.throws(() => client.call('createUniverse' as 'createProject'), /no operation createUniverse/)
  assert.equal(proxy.seen.length, 0)
  await assert.rejects(client.getSandbox({ sandboxId: '../../projects?x#/' }), { code: 'sandbox.NOT_FOUND' })
})

test('the operator can list the events of one organization', async () => {
  const operator = new Sandglass({ ...service.credentials, apiKey: service.credentials.operatorKey })
  const other = await operator.createOrganization({ body: { name: 'Quiet' } })
  const { events } = await operator.listAllEvents({ orgId: other.organization.id })
  assert.ok(events.every(event => event.orgId === other.organization.id))
})

/** Runs a program with the library in a folder, as a user does. */
async function program(folder: string, code: string, env: Record<string, string> = {}): Promise<string> {
  const library = new URL('../../packages/client/src/index.ts', import.meta.url)
  const source = `import { Sandglass } from ${JSON.stringify(library.href)}; ${code}`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', source], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  return stdout.trim()
}

test('credentials come from the options, the environment or the file of a local service, and a program ends by itself', async () => {
  const folder = await temporaryFolder()
  const below = join(folder, 'a', 'b')
  await mkdir(below, { recursive: true })
  const show = `const client = new Sandglass()
    const tried = async () => client.getStats().then(stats => Object.keys(stats).length > 0, error => error.code)
    console.log(await tried())`
  assert.equal(await program(below, show), 'client.NOT_CONFIGURED')
  const env = { SANDGLASS_URL: url, SANDGLASS_ORG: orgId, SANDGLASS_API_KEY: `${apiKey}\n` }
  assert.equal(await program(below, show, env), 'true')
  // A lookup that has failed is made again.
  const later = `${show}; Object.assign(process.env, ${JSON.stringify(env)}); console.log(await tried())`
  assert.equal(await program(below, later), 'client.NOT_CONFIGURED\ntrue')

  const { folder: data } = testService
  assert.equal(await program(below, show, { SANDGLASS_DATA: data }), 'true')
  await mkdir(join(folder, 'data'))
  await writeFile(join(folder, 'data', 'credentials.json'), JSON.stringify({ url, orgId, apiKey }))
  assert.equal(await program(below, show), 'true')
  assert.equal(
    await program(below, show, { SANDGLASS_URL: proxy.url }),
    'client.NOT_CONFIGURED',
    'the key of the local service is not sent elsewhere',
  )
  await writeFile(join(folder, 'data', 'credentials.json'), '{"url":')
  assert.equal(await program(below, show), 'client.NOT_CONFIGURED')
})

test('nothing was rejected without being handled', async () => {
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(unhandled, [])
})
