import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { makeSandbox } from '../../../testing/make-sandbox.ts'
import { resolveNamesToLoopback } from '../../../testing/names.ts'
import { runInSandbox } from '../../../testing/run-in-sandbox.ts'
import { startMachineService } from '../../../testing/test-machines.ts'
import { RuledSandbox } from './testing/rules.ts'

resolveNamesToLoopback()
const machines = await startMachineService()
const { service } = machines
/** Long enough that a renewal cannot be taken for anything else. */
const idleSeconds = 3600

async function create(rules: object = {}): Promise<RuledSandbox> {
  const lifecycle = { idleSeconds, onIdle: 'pause', ...rules }
  return new RuledSandbox(service, await makeSandbox(service, { lifecycle }))
}

/**
 * Lets a sandbox be due again and again, and waits until the service has found each time that it is not idle. It goes on until
 * the last call of the test can be no reason for that any more.
 */
async function staysAwake(sandbox: RuledSandbox): Promise<void> {
  const from = performance.now()
  do {
    await sandbox.letIdle()
    await waitFor(async () => {
      const { status, idle_at: idleAt } = await sandbox.required()
      assert.equal(status, 'RUNNING')
      return Number(idleAt) > Date.now() + 60_000
    })
  } while (performance.now() - from < 2500)
}

/** Waits until the sandbox is paused, as soon as the last use of it is some moments ago. */
async function fallsAsleep(sandbox: RuledSandbox): Promise<void> {
  await waitFor(async () => {
    await sql`UPDATE sandboxes SET idle_at = now() WHERE id = ${sandbox.id} AND idle_at > now() + interval '1 minute'`.execute(
      service.pool.db,
    )
    return (await sandbox.required()).paused
  })
}

test('a sandbox is idle when nobody calls it and nothing works in it, and is paused without a bill', async () => {
  const sandbox = await create()
  await fallsAsleep(sandbox)
  const shown = await sandbox.shown()
  assert.match(shown?.reason ?? '', /idle/)
  assert.equal((await sandbox.required()).idle_at, null)
  assert.ok((await sandbox.spans()).every(({ to }) => to !== undefined))
  assert.equal((await service.post(`${sandbox.path}/resume`)).status, 200)
  assert.ok(Number((await sandbox.required()).idle_at) > Date.now(), 'its idle time begins anew')
  await service.remove(sandbox.path)
})

test('a running shell is not idle, whether or not somebody reads from it', async () => {
  const sandbox = await create()
  const { body } = await service.post(`${sandbox.path}/shell`, { command: 'sleep 1000' })
  await staysAwake(sandbox)
  await service.remove(`${sandbox.path}/shell/${body.sessionId}`)
  await fallsAsleep(sandbox)
  await service.remove(sandbox.path)
})

test('a process call is use until it has ended', async () => {
  const sandbox = await create()
  const args = ['-c', 'until [ -e done ]; do sleep 0.2; done']
  const running = service.post(`${sandbox.path}/process`, { executable: 'sh', args, timeoutSeconds: 120 })
  await waitFor(async () => (await runInSandbox(machines, sandbox.id, 'pgrep -f "[u]ntil"')) !== '')
  await staysAwake(sandbox)
  await runInSandbox(machines, sandbox.id, 'touch done')
  assert.equal((await running).status, 200)
  await fallsAsleep(sandbox)
  await service.remove(sandbox.path)
})

test('traffic through a mapping is use, and a connection on which nothing is sent is not', async () => {
  const sandbox = await create()
  const stream = `
import socket, time, os
s = socket.create_server(('127.0.0.1', 8000)); open('listening', 'w').close()
c, _ = s.accept(); c.recv(9999)
c.sendall(b'HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
while not os.path.exists('silent'): c.sendall(b'1\\r\\nx\\r\\n'); time.sleep(0.2)
time.sleep(1000)
`
  await runInSandbox(
    machines,
    sandbox.id,
    `cat > stream.py <<'END'\n${stream}\nEND\n(python3 stream.py >/dev/null 2>&1 &)`,
  )
  await waitFor(async () => (await runInSandbox(machines, sandbox.id, 'ls listening 2>/dev/null')) !== '')
  const { body } = await service.post(`${sandbox.path}/mappings`, { targetEndpoint: '127.0.0.1:8000' })
  const response = await fetch(`http://${body.domain}/`, {
    headers: { 'x-gateway-access-token': body.accessToken },
  })
  assert.equal(response.status, 200)
  const reading = response.text().catch(() => '')
  await staysAwake(sandbox)
  await runInSandbox(machines, sandbox.id, 'touch silent')
  await fallsAsleep(sandbox)
  await service.remove(sandbox.path)
  await reading
})

test('a program that uses the processor is work, although nobody has asked for it', async () => {
  const sandbox = await create()
  const pid = await runInSandbox(machines, sandbox.id, '(while :; do :; done) >/dev/null 2>&1 & echo $!')
  await staysAwake(sandbox)
  await runInSandbox(machines, sandbox.id, `kill ${pid}`)
  await fallsAsleep(sandbox)
  await service.remove(sandbox.path)
})

test('with the rule to delete, work keeps a sandbox too, and an idle one ends with its reason', async () => {
  const sandbox = new RuledSandbox(service, await makeSandbox(service, { idleSeconds }))
  const { body } = await service.post(`${sandbox.path}/shell`, { command: 'sleep 1000' })
  await staysAwake(sandbox)
  await service.remove(`${sandbox.path}/shell/${body.sessionId}`)
  await waitFor(async () => {
    await sql`UPDATE sandboxes SET idle_at = now() WHERE id = ${sandbox.id} AND idle_at > now() + interval '1 minute'`.execute(
      service.pool.db,
    )
    return (await sandbox.row()) === undefined
  })
  const { body: ended } = await service.get('~/sandboxes?ended=true&limit=1')
  assert.deepEqual([ended[0].id, ended[0].ended.reason], [sandbox.id, 'idle'])
})
