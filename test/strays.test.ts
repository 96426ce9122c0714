import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SameProcess } from '@sandglass/workers'
import pino from 'pino'
import { EnvironmentSeal } from '../packages/server/src/auth/environment-seal.ts'
import { SecretKeys } from '../packages/server/src/auth/secret-keys.ts'
import { MachineKeeper } from '../packages/server/src/machines/keeper.ts'
import { selectLedger } from '../packages/server/src/machines/ledger.ts'
import { handedOutIn, leftAloneIn } from '../packages/server/src/machines/machine-marks.ts'
import { noChoices, specOf } from '../packages/server/src/machines/spec.ts'
import { Strays } from '../packages/server/src/machines/strays.ts'
import { UnclaimedMachines } from '../packages/server/src/machines/unclaimed.ts'
import { Catalogue } from '../packages/server/src/modules/shapes/catalogue.ts'
import { forgetMachine, insertMachine } from '../packages/server/src/records/machines.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

const service = await startTestService()
const { db } = service.pool
const { id: nodeId } = await db.selectFrom('nodes').select('id').executeTakeFirstOrThrow()
const identity = await selectLedger(db, nodeId)
const [shape] = (await Catalogue.load(undefined)).all()
const environment = new EnvironmentSeal(SecretKeys.generate())
const logged: string[] = []
const log = pino({ level: 'warn' }, { write: line => logged.push(JSON.parse(line).msg) })

function open() {
  const engines = paperEngines()
  const engine = engines.get('local')
  assert.ok(engine && shape)
  const keeper = new MachineKeeper(
    identity,
    db,
    engines,
    new SameProcess(() => {}),
    handedOutIn(service.folder),
    environment,
    log,
  )
  const unclaimed = new UnclaimedMachines(log)
  const strays = new Strays(db, keeper, leftAloneIn(service.folder), unclaimed, log)
  const make = async () => {
    const spec = environment.seal(specOf(shape, noChoices))
    const row = await insertMachine(db, { nodeId, engine: 'local', shapeName: shape.name, spec })
    await keeper.make(row, 'pool')
    return row
  }
  return { engine, keeper, unclaimed, strays, make }
}

test('the machines of a node are numbered in sequence, and the database knows the last number', async () => {
  const { make } = open()
  const [first, second] = [await make(), await make()]
  assert.equal(Number(second.number), Number(first.number) + 1)
  assert.equal((await selectLedger(db, nodeId)).lastNumber, Number(second.number))
})

test('a machine whose row was deleted is destroyed', async () => {
  const { engine, keeper, strays, unclaimed, make } = open()
  const { id } = await make()
  keeper.unwatch(id)
  await forgetMachine(db, id)
  await strays.settle(engine)
  assert.deepEqual([await engine.list(), unclaimed.all], [[], []])
})

test('a machine that disappears from the database while in use is left alone, and logged once', async () => {
  const { engine, keeper, strays, unclaimed, make } = open()
  const { id } = await make()
  await forgetMachine(db, id)
  logged.length = 0
  for (let sweep = 0; sweep < 3; sweep++) await strays.settle(engine)
  keeper.unwatch(id)
  await strays.settle(engine)
  assert.deepEqual(
    (await engine.list()).map(machine => machine.id),
    [id],
  )
  assert.deepEqual(
    unclaimed.all.map(({ reason }) => reason),
    ['newer'],
  )
  assert.deepEqual(logged, ['a machine that is not in the database is left alone'])
})
