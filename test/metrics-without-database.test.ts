import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort, waitFor } from '@sandglass/machines/testing'
import { EmbeddedPostgres } from '../packages/server/src/db/embedded/server.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { temporaryFolder } from './support/service-process.ts'

const quiet = { info: () => {}, warn: () => {} }
const postgres = join(await temporaryFolder(), 'postgres')
const port = await freePort()

async function metricOf(metric: string): Promise<number | undefined> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  assert.equal(response.status, 200)
  const [, value] = new RegExp(`^${metric} (\\S+)$`, 'm').exec(await response.text()) ?? []
  return value === undefined ? undefined : Number(value)
}

test('while the database is down the other metrics can be read, and those of the database come back with it', async () => {
  let database = await EmbeddedPostgres.start(postgres, quiet)
  cleanup.defer(() => database.stop())
  await startTestService({
    DATABASE_URL: `postgres://sandglass@localhost/postgres?host=${encodeURIComponent(postgres)}`,
    SANDGLASS_METRICS_PORT: String(port),
  })
  assert.equal(await metricOf('sandglass_database_up'), 1)
  assert.ok(Number(await metricOf('sandglass_database_bytes')) > 0)
  await database.stop()
  await waitFor(async () => (await metricOf('sandglass_database_up')) === 0)
  for (const metric of ['sandglass_database_bytes', 'sandglass_webhook_deliveries_waiting'])
    assert.equal(await metricOf(metric), undefined, metric)
  assert.ok(Number(await metricOf('sandglass_disk_free_bytes')) > 0)
  assert.equal(await metricOf('sandglass_live_viewers'), 0)
  // A service that closes says so in the database.
  database = await EmbeddedPostgres.start(postgres, quiet)
  await waitFor(async () => (await metricOf('sandglass_database_up')) === 1)
  assert.ok(Number(await metricOf('sandglass_database_bytes')) > 0)
})
