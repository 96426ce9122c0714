import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { SameProcess } from '@sandglass/workers'
import pino from 'pino'
import { EnvironmentSeal } from '../packages/server/src/auth/environment-seal.ts'
import { SecretKeys } from '../packages/server/src/auth/secret-keys.ts'
import { transact } from '../packages/server/src/db/transact.ts'
import { MachineKeeper } from '../packages/server/src/machines/keeper.ts'
import { selectLedger } from '../packages/server/src/machines/ledger.ts'
import { handedOutIn, leftAloneIn } from '../packages/server/src/machines/machine-marks.ts'
import { Reconciler } from '../packages/server/src/machines/reconcile.ts'
import { noChoices, specOf } from '../packages/server/src/machines/spec.ts'
import { Strays } from '../packages/server/src/machines/strays.ts'
import { UnclaimedMachines } from '../packages/server/src/machines/unclaimed.ts'
import { Catalogue } from '../packages/server/src/modules/shapes/catalogue.ts'
import { insertMachine } from '../packages/server/src/records/machines.ts'
import { insertSandbox } from '../packages/server/src/records/sandboxes.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

const service = await startTestService()
const { db } = service.pool
const { id: nodeId } = await db.selectFrom('nodes').select('id').executeTakeFirstOrThrow()
const { id: projectId } = await db.selectFrom('projects').select('id').executeTakeFirstOrThrow()
const log = pino({ level: 'silent' })
const environment = new EnvironmentSeal(SecretKeys.generate())

test('a create that was committed although its response was lost is completed by a sweep', async () => {
  const shapes = (await Catalogue.load(undefined)).all()
  const shape = shapes.find(({ engine }) => engine === 'local') ?? assert.fail()
  const engines = paperEngines()
  const swept = [engines.get('local') ?? assert.fail()]
  const keeper = new MachineKeeper(
    await selectLedger(db, nodeId),
    db,
    engines,
    new SameProcess(() => {}),
    handedOutIn(service.folder),
    environment,
    log,
  )
  const strays = new Strays(db, keeper, leftAloneIn(service.folder), new UnclaimedMachines(log), log)
  const reconciler = new Reconciler(db, keeper, strays, log)
  const { id, machine_id: machineId } = await transact(db, async tx => {
    const spec = environment.seal(specOf(shape, noChoices))
    const machine = await insertMachine(tx, { nodeId, engine: 'local', shapeName: shape.name, spec })
    return insertSandbox(tx, {
      id: 'abandoned',
      orgId: service.orgId,
      projectId,
      nodeId,
      machineId: machine.id,
      createdBy: 'service:test',
      name: 'abandoned',
      shapeName: shape.name,
      pricePerHour: 1,
      status: 'PENDING',
      lifeSeconds: 3600,
      lifecycle: { onTimeout: 'delete', autoResume: false, onIdle: 'delete' },
      labels: {},
    })
  })
  const status = async () => (await service.get(`~/sandboxes/${id}/status`)).body.status
  // It may be about to be completed.
  await reconciler.sweep(swept)
  assert.equal(await status(), 'PENDING')
  await reconciler.sweep(swept)
  await waitFor(async () => (await status()) === 'RUNNING')
  assert.ok(keeper.machine(machineId ?? ''))
})
