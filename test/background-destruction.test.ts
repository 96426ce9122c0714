import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SameProcess } from '@sandglass/workers'
import pino from 'pino'
import { EnvironmentSeal } from '../packages/server/src/auth/environment-seal.ts'
import { SecretKeys } from '../packages/server/src/auth/secret-keys.ts'
import { openPool } from '../packages/server/src/db/database.ts'
import { MachineKeeper } from '../packages/server/src/machines/keeper.ts'
import { handedOutIn } from '../packages/server/src/machines/machine-marks.ts'
import { paperEngines } from './support/paper-engine.ts'
import { temporaryFolder } from './support/service-process.ts'

test('machines are destroyed in the background, and a database that is away costs a log line', async t => {
  const folder = await temporaryFolder()
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: line => logged.push(JSON.parse(line).msg) })
  // Nothing listens there. A rejection that nobody handles fails this test.
  const pool = openPool({ config: { host: folder }, shown: folder }, () => {})
  t.after(() => pool.close())
  const environment = new EnvironmentSeal(SecretKeys.generate())
  const identity = { installation: 'none', nodeId: 'none', lastNumber: 0 }
  const keeper = new MachineKeeper(
    identity,
    pool.db,
    paperEngines(),
    new SameProcess(() => {}),
    handedOutIn(folder),
    environment,
    log,
  )
  keeper.destroyDoomedSoon()
  await keeper.close()
  assert.deepEqual(logged, ['work on a machine failed'])
})
