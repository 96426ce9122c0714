import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runningSandbox } from '../packages/server/src/testing/sandbox-programs.ts'
import { startMachineService } from '../packages/server/src/testing/test-machines.ts'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { sharedDatabase } from './support/shared-database.ts'

const { folder, env: database } = await sharedDatabase()
const env = {
  ...database,
  SANDGLASS_DATA: join(folder, 'data'),
}

test('an installation that is interrupted by a stop or a crash is reported as failed', async () => {
  const { service } = await startMachineService({ env })
  const sandbox = await runningSandbox(service)
  const { body } = await service.call('PUT', `${sandbox}/apps/libreoffice`)
  const operation = () =>
    service.pool.db
      .selectFrom('application_operations')
      .select(['status', 'detail'])
      .where('id', '=', body.operationId)
      .executeTakeFirstOrThrow()
  await service.service.close()
  assert.deepEqual(await operation(), {
    status: 'FAILED',
    detail: { reason: 'The service was stopped. Ask for it again.' },
  })

  const crashed = service.pool.db.updateTable('application_operations').set({ status: 'RUNNING' })
  await crashed.where('id', '=', body.operationId).execute()
  await startTestService(env)
  assert.deepEqual(await operation(), {
    status: 'FAILED',
    detail: { reason: 'The service was restarted. Request it again.' },
  })
})
