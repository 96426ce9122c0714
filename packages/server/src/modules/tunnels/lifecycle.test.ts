import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { sql } from 'kysely'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { RuledSandbox } from '../sandboxes/lifecycle/testing/rules.ts'
import { ports, startPrograms } from './testing/programs.ts'
import { openTunnel } from './testing/tunnel-client.ts'

const machines = await startMachineService()
const { service } = machines
const lifecycle = { onTimeout: 'pause', onIdle: 'pause', autoResume: true, idleSeconds: 3600 }
const sandbox = new RuledSandbox(service, await makeSandbox(service, { lifecycle }))
await startPrograms(machines, sandbox.id)

test('a tunnel wakes a sandbox, and the programs in it go on', async () => {
  await sandbox.putToSleep()
  const client = await openTunnel(service, sandbox.id, ports.echo)
  assert.equal((await sandbox.required()).status, 'RUNNING')
  client.send('awake')
  await waitFor(async () => client.text === 'awake')
  client.webSocket.close()
})

test('traffic through a tunnel is use, and a tunnel without traffic closes when its sandbox falls asleep', async () => {
  const client = await openTunnel(service, sandbox.id, ports.echo)
  const idleAt = async () => Number((await sandbox.required()).idle_at)
  let times = 0
  await waitFor(async () => {
    if ((await idleAt()) > Date.now() + 3_000_000) times++
    await sql`UPDATE sandboxes SET idle_at = now() + interval '10 minutes' WHERE id = ${sandbox.id}`.execute(
      service.pool.db,
    )
    client.send('x')
    return times === 3
  })
  await waitFor(async () => {
    await sql`UPDATE sandboxes SET idle_at = now() WHERE id = ${sandbox.id} AND idle_at > now() + interval '1 minute'`.execute(
      service.pool.db,
    )
    return (await sandbox.required()).paused
  })
  assert.deepEqual(await client.untilClosed(), { code: 4409, reason: 'sandbox.STATE' })
})

test('a tunnel does not hold up the sleep of a sandbox whose time is up', async () => {
  const client = await openTunnel(service, sandbox.id, ports.echo)
  await sandbox.putToSleep()
  assert.deepEqual(await client.untilClosed(), { code: 4409, reason: 'sandbox.STATE' })
})

test('a tunnel closes when its sandbox is hibernated', async () => {
  const client = await openTunnel(service, sandbox.id, ports.echo)
  assert.equal((await service.post(`${sandbox.path}/hibernate`)).status, 200)
  const { code } = await client.untilClosed()
  assert.ok(code === 4409 || code === 4502, String(code))
})
