import { startMachineService } from '../../../packages/server/src/testing/test-machines.ts'
import { startTestService, type TestService } from '../../../packages/server/src/testing/test-service.ts'
import { type SharedDatabase, sharedDatabase } from '../../support/shared-database.ts'

export interface TwoNodes {
  readonly database: SharedDatabase
  /** The process with real machines. */
  readonly owner: TestService
  /** The process without machines, which forwards what reaches it. */
  readonly front: TestService
}

/** Starts two processes of the service on one database, one of which has machines. */
export async function startTwoNodes(env: Record<string, string> = {}): Promise<TwoNodes> {
  const database = await sharedDatabase()
  const settings = { ...database.env, ...env }
  const { service: owner } = await startMachineService({ env: settings })
  const front = await startTestService(settings)
  return { database, owner, front }
}
