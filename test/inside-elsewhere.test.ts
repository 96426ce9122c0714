import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { SandboxFigures } from '@sandglass/protocol'
import { viewerOf } from '../packages/server/src/testing/live-viewer.ts'
import { runIn, runningSandbox } from '../packages/server/src/testing/sandbox-programs.ts'
import { byKind, ShellEvents } from '../packages/server/src/testing/shell-events.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { env } = await sharedDatabase()

const { service: here } = await startMachineService({ env })
const elsewhere = await startTestService(env)
const sandbox = await runningSandbox(here)

test('a process that has not the machine runs programs in it, and waits for those that take long', async () => {
  const { stdout } = await runIn(elsewhere, sandbox, {
    executable: 'sh',
    args: ['-c', 'sleep 10; echo done'],
  })
  assert.equal(stdout, 'done\n')
  const refused = await elsewhere.post(`${sandbox}/process`, { executable: 'no-such-program' })
  assert.deepEqual([refused.status, refused.body.code], [400, 'process.CANNOT_START'])
})

test('a process that has not the machine streams a shell as it prints, and goes on after an event', async () => {
  const { body } = await elsewhere.post(`${sandbox}/shell`, {
    command: 'while read x; do echo "got $x"; done',
  })
  const path = `${sandbox}/shell/${body.sessionId}`
  const first = await ShellEvents.open(elsewhere, `${path}/stream`, { method: 'GET' })
  await elsewhere.post(path, { data: 'one\n' })
  const { bytes, id } = await first.next()
  assert.equal(String(bytes), 'got one\n')
  first.close()
  await elsewhere.post(path, { data: 'two\n' })
  await elsewhere.call('PUT', `${path}/finish`)
  const again = await ShellEvents.open(elsewhere, `${path}/stream`, { method: 'GET', lastEventId: id })
  assert.deepEqual(byKind(await again.rest()), { stdout: 'got two\n', waiting: '', end: '' })
  assert.equal((await elsewhere.delete(path)).status, 200)
})

test('a process that has not the machine shows what goes on in it: its screen, figures, shells and viewers', async () => {
  const { headers, status } = await elsewhere.get(`${sandbox}/thumbnail`)
  assert.deepEqual([status, headers.get('content-type')], [200, 'image/webp'])
  await waitFor(async () => {
    const { headers } = await elsewhere.get(`${sandbox}/thumbnail`)
    const known = { 'if-none-match': headers.get('etag') ?? '' }
    return (await elsewhere.get(`${sandbox}/thumbnail`, { headers: known })).status === 304
  })
  assert.ok(SandboxFigures.parse((await elsewhere.get(`${sandbox}/figures`)).body).memory)
  const { body } = await here.post(`${sandbox}/shell`, { command: 'sleep 1000' })
  const shells = await elsewhere.get(`${sandbox}/shell`)
  assert.ok(shells.body.some(({ id }: { id: string }) => id === body.sessionId))
  await here.remove(`${sandbox}/shell/${body.sessionId}`)
  const ada = await viewerOf(elsewhere, sandbox, { name: 'Ada' })
  await waitFor(async () => (await elsewhere.get(`${sandbox}/live/viewers`)).body[0]?.name === 'Ada')
  ada.close()
  await waitFor(async () => (await elsewhere.get(`${sandbox}/live/viewers`)).body.length === 0)
  const renamed = await elsewhere.call('PATCH', sandbox, { body: { name: 'from elsewhere' } })
  assert.equal(renamed.status, 200, renamed.text)
  assert.equal((await here.get(sandbox)).body.sandbox.name, 'from elsewhere')
})

test('a stream that is passed on does not hold up a process that stops', async () => {
  const path = `${sandbox}/shell/stream`
  const events = await ShellEvents.open(elsewhere, path, { body: { command: 'echo up; sleep 100' } })
  await events.until('up')
  await elsewhere.service.close()
  await assert.rejects(events.rest())
})
