import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { openPool } from '../packages/server/src/db/database.ts'
import { embeddedAddress } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'

// The first start of an installation makes its database, which other tests copy.
delete process.env['TEST_CLUSTER']

test('the first start prints a working curl and writes credentials that only this user can read', async () => {
  const data = await temporaryFolder()
  const service = await ServiceProcess.start(data)
  const file = join(data, 'credentials.json')
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const credentials = await service.credentials()
  assert.deepEqual(Object.keys(credentials).sort(), ['apiKey', 'operatorKey', 'orgId', 'url'])

  const [, key, url] = /curl -H 'X-Api-Key: (\S+)' (\S+)/.exec(service.printed) ?? []
  const answer = await fetch(url ?? '', { headers: { 'x-api-key': key ?? '' } })
  assert.deepEqual(await answer.json(), { mcpServers: 0, sandboxes: 0, projects: 1 })
  assert.ok(service.printed.includes(credentials.orgId) && service.printed.includes(credentials.apiKey))
  assert.ok(!service.printed.includes(credentials.operatorKey))

  const [, page, code] = /sign in +(\S+\/sign-in)#code=(\S+)/.exec(service.printed) ?? []
  assert.equal(page, `${credentials.url}/sign-in`)
  const signIn = () =>
    fetch(`${credentials.url}/api/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })
  const signedIn = await signIn()
  assert.equal(((await signedIn.json()) as { role: string }).role, 'owner')
  assert.match(
    signedIn.headers.getSetCookie()[0] ?? '',
    /^sandglass-session=\S+; Path=\/; .*HttpOnly; SameSite=Strict$/,
  )
  assert.equal((await signIn()).status, 401, 'the link works once')

  service.signal('SIGTERM')
  assert.equal(await service.exit(), 0)
  const again = await ServiceProcess.start(data)
  const { url: _, ...kept } = await again.credentials()
  const { url: __, ...first } = credentials
  assert.deepEqual(kept, first)
  assert.equal((await call(await again.credentials(), 'GET', '~/stats')).status, 200)
  again.signal('SIGINT')
  assert.equal(await again.exit(), 0)
})

test("the owner's key is printed once, and later starts print a curl that reads it from its file", async () => {
  const data = await temporaryFolder()
  const first = await ServiceProcess.start(data)
  const { apiKey } = await first.credentials()
  assert.ok(first.printed.includes(apiKey))
  first.signal('SIGTERM')
  await first.exit()
  const second = await ServiceProcess.start(data)
  assert.ok(!second.printed.includes(apiKey) && !second.printed.includes('#code='))
  assert.ok(second.printed.includes(join(data, 'credentials.json')))
  const [, command = ''] = /Try it:\s+(curl .*)/.exec(second.printed) ?? []
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`])
  assert.deepEqual(JSON.parse(stdout), { mcpServers: 0, sandboxes: 0, projects: 1 })
})

test('settings come from a file, and the shell file leads clients to the service', async () => {
  const data = await temporaryFolder()
  const config = join(data, 'sandglass.env')
  await writeFile(config, "SANDGLASS_OIDC_NAME='Example #1'\nSANDGLASS_METRICS_PORT=none\n", { mode: 0o600 })
  const refused = await ServiceProcess.start(data, { SANDGLASS_CONFIG: config })
  assert.match(await refused.refusal(), /SANDGLASS_METRICS_PORT must be a port/)
  const service = await ServiceProcess.start(data, { SANDGLASS_CONFIG: config, SANDGLASS_METRICS_PORT: '0' })
  const { operatorKey } = await service.credentials()
  const settings = await call(
    await service.credentials(),
    'GET',
    '/api/operator/settings',
    undefined,
    operatorKey,
  )
  const name = settings.body.find((setting: { name: string }) => setting.name === 'SANDGLASS_OIDC_NAME')
  assert.equal(name.value, 'Example #1')
  const [, source = ''] = /for a shell +(.*)/.exec(service.printed) ?? []
  const curl = 'curl -sH "X-Api-Key: $SANDGLASS_API_KEY" "$SANDGLASS_URL/api/orgs/$SANDGLASS_ORG/stats"'
  const { stdout } = await promisify(execFile)('sh', ['-c', `${source}; ${curl}`])
  assert.deepEqual(JSON.parse(stdout), { mcpServers: 0, sandboxes: 0, projects: 1 })
})

test('a second process on the same data directory is refused with a clear message', async () => {
  const data = await temporaryFolder()
  const first = await ServiceProcess.start(data)
  const second = await ServiceProcess.start(data)
  assert.match(
    await second.refusal(),
    new RegExp(`Another sandglass \\(process ${first.pid}\\) is running in ${data}`),
  )
  assert.equal((await call(await first.credentials(), 'GET', '~/stats')).status, 200)
})

test('a lost credentials file is replaced by new keys, and the old ones stay valid', async () => {
  const data = await temporaryFolder()
  const first = await ServiceProcess.start(data)
  const old = await first.credentials()
  first.signal('SIGTERM')
  await first.exit()
  await writeFile(join(data, 'credentials.json'), 'damaged')
  const damaged = await ServiceProcess.start(data)
  assert.match(await damaged.refusal(), /credentials\.json in the data directory is damaged/)
  await rm(join(data, 'credentials.json'))
  const third = await ServiceProcess.start(data)
  const fresh = await third.credentials()
  assert.equal(fresh.orgId, old.orgId)
  for (const key of [old.apiKey, fresh.apiKey])
    assert.equal((await call(fresh, 'GET', '~/stats', undefined, key)).status, 200)
})

test('a port that is in use is named', async () => {
  const first = await ServiceProcess.start(await temporaryFolder())
  const { port } = new URL((await first.credentials()).url)
  const second = await ServiceProcess.start(await temporaryFolder(), { SANDGLASS_PORT: port })
  assert.match(await second.refusal(), new RegExp(`Port ${port} on 127.0.0.1 is in use.*SANDGLASS_PORT`))
})

const wrong: [Record<string, string>, RegExp][] = [
  [{ SANDGLASS_PORT: 'web' }, /^SANDGLASS_PORT must be a port/],
  [{ SANDGLASS_SHAPES: '/nowhere/shapes.json' }, /shape catalogue \/nowhere\/shapes\.json cannot be read/],
  [{ SANDGLASS_TLS_CERT: '/no.pem', SANDGLASS_TLS_KEY: '/no.key' }, /SANDGLASS_TLS_CERT.*\/no\.pem/],
  [{ DATABASE_URL: 'postgres://127.0.0.1:1/none' }, /DATABASE_URL/],
]
for (const [env, message] of wrong)
  test(`${JSON.stringify(env)} stops the start with a message that names it`, async () => {
    const service = await ServiceProcess.start(await temporaryFolder(), env)
    const printed = await service.refusal()
    assert.match(printed.split('\n').find(line => !line.startsWith('{')) ?? '', message)
    assert.ok(!printed.includes('    at '), `there is a stack trace: ${printed}`)
  })

test('on SIGTERM the service finishes the current call and exits', async () => {
  const data = await temporaryFolder()
  const service = await ServiceProcess.start(data)
  const credentials = await service.credentials()
  const { db, close } = openPool(embeddedAddress(join(data, 'postgres')), () => {})
  cleanup.defer(close)
  const lock = await db.startTransaction().execute()
  await sql`LOCK TABLE projects`.execute(lock)
  const underWay = call(credentials, 'POST', '~/projects', { name: 'last' })
  await waitFor(async () => {
    const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`
    return (await waiting.execute(db)).rows.length > 0
  })
  service.signal('SIGTERM')
  await waitFor(async () => (await call(credentials, 'GET', '/healthz')).status === 0)
  await lock.rollback().execute()
  assert.equal((await underWay).status, 200)
  assert.equal(await service.exit(), 0)
})
