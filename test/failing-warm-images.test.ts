import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SameProcess } from '@sandglass/workers'
import { sql } from 'kysely'
import pino from 'pino'
import { EnvironmentSeal } from '../packages/server/src/auth/environment-seal.ts'
import { SecretKeys } from '../packages/server/src/auth/secret-keys.ts'
import { MachineKeeper } from '../packages/server/src/machines/keeper.ts'
import { selectLedger } from '../packages/server/src/machines/ledger.ts'
import { handedOutIn } from '../packages/server/src/machines/machine-marks.ts'
import { WarmPool } from '../packages/server/src/machines/warm-pool.ts'
import { wantedOfImages } from '../packages/server/src/modules/images/warm-images.ts'
import { Catalogue } from '../packages/server/src/modules/shapes/catalogue.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

const service = await startTestService()
const { db } = service.pool
const { id: nodeId } = await db.selectFrom('nodes').select('id').executeTakeFirstOrThrow()
const log = pino({ level: 'silent' })
const environment = new EnvironmentSeal(SecretKeys.generate())

/** How many machines were inserted so far. */
async function attempts(): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT last_machine_number::int AS count FROM nodes`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

test('the machines of an image that fail are tried again by the next sweep, not at once', async () => {
  const loaded = (await Catalogue.load(undefined)).all()
  const shape = loaded.find(({ engine }) => engine === 'local') ?? assert.fail()
  const shapes = new Catalogue([{ ...shape, warm: 0 }])
  // The engine saves no disks, so every machine that is to start with one fails.
  const keeper = new MachineKeeper(
    await selectLedger(db, nodeId),
    db,
    paperEngines(),
    new SameProcess(() => {}),
    handedOutIn(service.folder),
    environment,
    log,
  )
  const spec = JSON.stringify({ id: 'source', image: shape.image, diskMiB: shape.diskMiB })
  await sql`INSERT INTO saved_disks (id, node_id, engine, shape_name, spec, handle, state)
    VALUES ('disk', ${nodeId}, 'local', ${shape.name}, ${spec}, '{}', 'ready')`.execute(db)
  await sql`INSERT INTO machine_images (id, org_id, name, shape_name, status, disk_id, created_by, warm)
    VALUES ('image', ${service.orgId}, 'failing', ${shape.name}, 'READY', 'disk', 'test', 3)`.execute(db)

  const pool = new WarmPool({
    db,
    keeper,
    shapes,
    ofImages: () => wantedOfImages(db, nodeId, shapes, environment),
    isDraining: () => false,
    log,
  })
  cleanup.defer(() => pool.close())
  const before = await attempts()
  const done = async () => {
    await pool.settled()
    return (await attempts()) - before
  }

  // A machine of the image has ended by itself.
  pool.replace({ image_id: 'image' })
  assert.equal(await done(), 0)
  pool.retry()
  assert.equal(await done(), 1)
  pool.refill()
  assert.equal(await done(), 1)
  pool.retry()
  assert.equal(await done(), 2)
  assert.deepEqual(await db.selectFrom('machines').select('id').execute(), [])
})
