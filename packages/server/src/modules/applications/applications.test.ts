import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { SandboxApplication } from '@sandglass/protocol'
import { cleanup } from '../../testing/cleanup.ts'
import { runIn, runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-applications-'))
cleanup.defer(() => rm(folder, { recursive: true, force: true }))
const catalogue = join(folder, 'applications.json')
const application = (id: string, ...packages: string[]) => ({
  id,
  name: id,
  description: 'For tests.',
  packages,
})
await writeFile(
  catalogue,
  JSON.stringify({
    applications: [
      application('hello', 'hello'),
      application('vim', 'vim'),
      application('absent', 'no-such-package'),
    ],
  }),
)
const { service } = await startMachineService({
  env: { SANDGLASS_APPLICATIONS: catalogue },
})
const sandbox = await runningSandbox(service, { egress: 'none' })

const install = (app: string, path = sandbox) => service.call('PUT', `${path}/apps/${app}`)

/** Waits for the end of an installation, and returns its result and the steps that were seen. */
async function ended(operation: string, path = sandbox) {
  const steps = new Set<string>()
  let last: { status: string; detail: { reason?: string; installed?: string[]; step?: string } } | undefined
  await waitFor(async () => {
    const { body } = await service.get(`${path}/operations/${operation}`)
    last = body
    if (body.detail?.step) steps.add(body.detail.step)
    return !['PENDING', 'RUNNING'].includes(body.status)
  }, 240_000)
  assert.ok(last)
  return { ...last, steps: [...steps] }
}

test('the catalogue is listed, and an unknown application is a 404 that lists the available ones', async () => {
  const { body } = await service.get('~/applications')
  assert.deepEqual(body[0], { id: 'hello', name: 'hello', description: 'For tests.' })
  const { status, body: refused } = await install('nothing')
  assert.deepEqual([status, refused.code], [404, 'application.NOT_FOUND'])
  assert.match(refused.message, /the available applications are hello, vim, absent/)
})

test('an application is installed in a sandbox without network access, and reports its progress', async () => {
  assert.deepEqual((await service.get(`${sandbox}/apps`)).body, [])
  const { status, body } = await install('hello')
  assert.equal(status, 200)
  assert.ok(['PENDING', 'RUNNING'].includes(body.status))
  const repeated = await install('hello')
  assert.equal(repeated.body.operationId, body.operationId)
  const { status: end, detail, steps } = await ended(body.operationId)
  assert.equal(end, 'SUCCEEDED', JSON.stringify(detail))
  assert.match(detail.installed?.[0] ?? '', /^hello 2/)
  assert.ok(steps.includes('fetching') || steps.includes('resolving'), steps.join())
  assert.equal((await runIn(service, sandbox, { executable: 'hello' })).stdout, 'Hello, world!\n')
  assert.deepEqual((await install('hello')).body, { operationId: body.operationId, status: 'SUCCEEDED' })
  const { stdout } = await runIn(service, sandbox, { executable: 'ls', args: ['-A', '/var/cache/sandglass'] })
  assert.equal(stdout, '')
})

test('another sandbox gets the same application and its dependencies from the cache', async () => {
  const other = await runningSandbox(service, { egress: 'none' })
  const [hello, vim] = [await install('hello', other), await install('vim', other)]
  assert.equal((await ended(hello.body.operationId, other)).status, 'SUCCEEDED')
  const { status, detail } = await ended(vim.body.operationId, other)
  assert.equal(status, 'SUCCEEDED', JSON.stringify(detail))
  assert.ok(detail.installed && detail.installed.length > 1)
  const { stdout } = await runIn(service, other, { executable: 'vim', args: ['--version'] })
  assert.match(stdout, /^VIM - Vi IMproved/)
})

test('the applications of a sandbox are listed, each with its last installation', async () => {
  const { body: first } = await install('absent')
  assert.equal((await ended(first.operationId)).status, 'FAILED')
  const { body: again } = await install('absent')
  await ended(again.operationId)
  const listed = SandboxApplication.array().parse((await service.get(`${sandbox}/apps`)).body)
  assert.deepEqual(
    listed.map(({ appId, name, status }) => [appId, name, status]),
    [
      ['absent', 'absent', 'FAILED'],
      ['hello', 'hello', 'SUCCEEDED'],
    ],
  )
  assert.equal(listed[0]?.operationId, again.operationId)
  assert.match(JSON.stringify(listed[0]?.detail), /no-such-package/)
  assert.equal((await service.get('~/sandboxes/absent/apps')).status, 404)
})

test('vim runs in the terminal of a shell', async () => {
  const { body } = await install('vim')
  assert.equal((await ended(body.operationId)).status, 'SUCCEEDED')
  const command = 'vim -u NONE note.txt'
  const { body: started } = await service.post(`${sandbox}/shell`, { command, useTty: true })
  const shell = `${sandbox}/shell/${started.sessionId}`
  let screen = ''
  const shows = (text: string) =>
    waitFor(async () => {
      const { body: read } = await service.post(`${shell}/read`)
      for (const part of read.output) screen += part.stdout ?? ''
      return screen.includes(text)
    })
  await shows('note.txt')
  await service.post(shell, { data: 'iwritten in vim – ü\x1b' })
  await service.post(shell, { data: ':wq\r' })
  await waitFor(async () => !(await service.post(`${shell}/read`)).body.isRunning)
  const { stdout } = await runIn(service, sandbox, { executable: 'cat', args: ['note.txt'] })
  assert.equal(stdout, 'written in vim – ü\n')
})

test('a failed installation reports the reason, and can be retried', async () => {
  const { body } = await install('absent')
  const { status, detail } = await ended(body.operationId)
  assert.equal(status, 'FAILED')
  assert.match(detail.reason ?? '', /Unable to locate package no-such-package/)
  const again = await install('absent')
  assert.notEqual(again.body.operationId, body.operationId)
  await ended(again.body.operationId)
})

test('an invalid package list, or a machine that ends, fails only its own installation', async () => {
  const broken = await runningSandbox(service)
  const script = 'head -c 20000000 /dev/urandom > /var/lib/dpkg/status'
  await runIn(service, broken, { executable: 'sudo', args: ['sh', '-c', script] })
  const { body } = await install('hello', broken)
  const { status, detail } = await ended(body.operationId, broken)
  assert.deepEqual([status, /too large/.test(detail.reason ?? '')], ['FAILED', true], JSON.stringify(detail))
  const running = await install('vim', broken)
  await service.remove(broken)
  assert.equal((await service.get(`${broken}/operations/${running.body.operationId}`)).status, 404)
})

test('an operation is found only in its own sandbox', async () => {
  const other = await runningSandbox(service)
  const { body } = await install('hello')
  const { status, body: refused } = await service.get(`${other}/operations/${body.operationId}`)
  assert.deepEqual([status, refused.code], [404, 'operation.NOT_FOUND'])
})
