import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { NodeDatabase, nodeIdIn } from '../support/nodes.ts'
import { call, ServiceProcess } from '../support/service-process.ts'
import { withClock } from '../support/with-clock.ts'

const tenMinutesMs = 600_000
const database = await NodeDatabase.start()

async function startNode(name: string, ms: number) {
  const data = join(database.folder, name)
  const service = await ServiceProcess.start(data, { ...database.env, ...withClock({ ms }) })
  return { service, id: await nodeIdIn(data), credentials: await service.credentials() }
}

test('nodes whose clocks are wrong by minutes keep their leases, and notice that another one is lost', async () => {
  const behind = await startNode('behind', -tenMinutesMs)
  const ahead = await startNode('ahead', tenMinutesMs)
  const nodes = async () => {
    const { credentials } = ahead
    const { body } = await call(credentials, 'GET', '/api/operator/nodes', undefined, credentials.operatorKey)
    return new Map<string, Record<string, string>>(body.map((node: { id: string }) => [node.id, node]))
  }
  // From now on each node would declare the other one lost if it used its own clock.
  await database.backdate('', '1 hour')
  await Promise.all([behind, ahead].map(({ id }) => database.waitForHeartbeats(id, 3)))
  const now = (await database.now()).getTime()
  for (const [, { state, leaseUntil = '' }] of await nodes()) {
    assert.equal(state, 'alive')
    assert.ok(Math.abs(Date.parse(leaseUntil) - now) < tenMinutesMs / 2)
  }

  await behind.service.kill()
  const before = (await database.now()).getTime()
  await database.backdate(behind.id, '1 minute')
  await waitFor(async () => (await nodes()).get(behind.id)?.['state'] === 'lost')
  const lostAt = Date.parse((await nodes()).get(behind.id)?.['lostAt'] ?? '')
  assert.ok(before <= lostAt && lostAt <= (await database.now()).getTime())
})
