import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { runInSandbox } from '../../testing/run-in-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const machines = await startMachineService()
const { service, engine } = machines
const run = (id: string, script: string) => runInSandbox(machines, id, script)

const statusOf = async (id: string) => (await service.get(`~/sandboxes/${id}/status`)).body.status
const disks = async () => (await engine.snapshots.list()).length

test('a restore sets the files back and keeps the mappings and the MCP server of the sandbox', async () => {
  const id = await makeSandbox(service)
  const { body: mapping } = await service.post(`~/sandboxes/${id}/mappings`, {
    targetEndpoint: '127.0.0.1:80',
  })
  const { body: server } = await service.post('~/mcp-servers', { name: 'bound', sandboxShape: 'small' })
  await service.post(`~/mcp-servers/${server.id}/sandbox`, { sandboxId: id })
  await run(id, 'echo before > note')
  const { body: snapshot, text: answer } = await service.post(`~/sandboxes/${id}/snapshots`, {
    name: 'clean',
  })
  assert.equal(snapshot.status, 'READY', answer)
  assert.ok(snapshot.pauseMs > 0, answer)
  await run(id, 'echo after > note; sudo touch /etc/later')

  const restored = await service.post(`~/sandboxes/${id}/restore`, { snapshotId: snapshot.id })
  assert.equal(restored.status, 200, restored.text)
  assert.equal(await statusOf(id), 'RUNNING')
  assert.equal(
    await run(id, 'cat note; ls /etc/later'),
    "before\nls: cannot access '/etc/later': No such file or directory",
  )
  const { body: mappings } = await service.get(`~/sandboxes/${id}/mappings`)
  assert.equal(mappings[0].domain, mapping.domain)
  const { body: servers } = await service.get('~/mcp-servers')
  const bound = servers.find((each: { id: string }) => each.id === server.id)
  assert.equal(bound.currentSandboxId, id)
  const action = { type: 'wait', duration: 1 }
  assert.equal((await service.post(`~/sandboxes/${id}/actions/execute`, { action })).status, 200)
  await service.remove(`~/sandboxes/${id}`)
  await waitFor(async () => (await disks()) === 0)
})

test('forks of a running sandbox have its files and its environment, and change them by themselves', async () => {
  const id = await makeSandbox(service, { env: { KEY: 'value' } })
  await run(id, 'echo common > note')
  const { body, text: answer } = await service.post(`~/sandboxes/${id}/fork`, { count: 2, name: 'fork' })
  const ids: string[] = body.results.map(({ sandbox }: { sandbox?: { id: string } }) => sandbox?.id ?? answer)
  await waitFor(async () => {
    const statuses = await Promise.all(ids.map(statusOf))
    assert.ok(!statuses.includes('ERROR'), answer)
    return statuses.every(status => status === 'RUNNING')
  })
  const [first = '', second = ''] = ids
  assert.equal(await run(first, 'cat note; echo $KEY; echo own > note'), 'common\nvalue')
  assert.deepEqual([await run(second, 'cat note'), await run(id, 'cat note')], ['common', 'common'])
  await waitFor(async () => (await disks()) === 0)
  for (const each of [id, ...ids]) await service.remove(`~/sandboxes/${each}`)
})

test('a hibernated sandbox uses no processes and no memory, can be forked, and wakes with its files', async () => {
  const id = await makeSandbox(service)
  await run(id, 'echo kept > note; sleep 1000 >/dev/null 2>&1 &')
  assert.equal((await service.post(`~/sandboxes/${id}/hibernate`)).status, 200)
  assert.equal(await statusOf(id), 'STOPPED')
  const { handle } = await service.pool.db
    .selectFrom('machines')
    .innerJoin('sandboxes', 'sandboxes.machine_id', 'machines.id')
    .select('machines.handle')
    .where('sandboxes.id', '=', id)
    .executeTakeFirstOrThrow()
  assert.ok(handle)
  assert.equal((await engine.inspect(handle)).status, 'stopped')
  const { body } = await service.post(`~/sandboxes/${id}/fork`)
  const fork = body.results[0].sandbox.id
  await waitFor(async () => (await statusOf(fork)) === 'RUNNING')
  assert.equal(await run(fork, 'cat note'), 'kept')
  assert.equal(await statusOf(id), 'STOPPED')

  const resumed = await service.post(`~/sandboxes/${id}/resume`)
  assert.equal(resumed.status, 200, resumed.text)
  assert.equal(await statusOf(id), 'RUNNING')
  assert.equal(await run(id, 'cat note; ps -e | grep -c sleep'), 'kept\n0')
  const usage = await service.pool.db
    .selectFrom('usage_spans')
    .selectAll()
    .where('sandbox_id', '=', id)
    .orderBy('started_at')
    .execute()
  assert.deepEqual([usage.length, usage[0]?.ended_at instanceof Date], [2, true])
  for (const each of [id, fork]) await service.remove(`~/sandboxes/${each}`)
  await waitFor(async () => (await engine.list()).length === 0)
})
