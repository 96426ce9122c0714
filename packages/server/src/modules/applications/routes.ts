import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import type { ApplicationCatalogue } from './catalogue.ts'
import { Installer } from './installer.ts'
import { selectLatestOperations, selectOperation, takeOperation } from './store.ts'

export interface ApplicationParts {
  readonly db: Database
  readonly keeper: MachineKeeper
  readonly catalogue: ApplicationCatalogue
  readonly log: Logger
}

export function serveApplications(
  api: Api,
  router: SandboxRouter,
  { db, keeper, catalogue, log }: ApplicationParts,
): void {
  const installer = new Installer(db, keeper.nodeId, log)
  api.onStart(() => installer.start())
  api.onClose(() => installer.close())

  api.serve(protocol.listApplications, async () =>
    catalogue.all().map(({ id, name, description }) => ({ id, name, description })),
  )

  api.serve(protocol.listSandboxApplications, async ({ member, params }) => {
    const { id } = await router.find(member, params.sandboxId)
    const names = new Map(catalogue.all().map(application => [application.id, application.name]))
    return (await selectLatestOperations(db, id)).map(row => ({
      appId: row.app_id,
      name: names.get(row.app_id) ?? row.app_id,
      status: row.status,
      operationId: row.id,
      at: row.created_at.toISOString(),
      detail: row.detail,
    }))
  })

  router.serveInside(protocol.installSandboxApplication, ({ params, change }, { sandbox, machine }) => {
    const application = catalogue.require(params.appId)
    const source = keeper.engines.packages
    if (!source) throw new ApiError('application.UNAVAILABLE')
    return change(async tx => {
      const key = { sandbox_id: sandbox.id, node_id: keeper.nodeId, app_id: application.id }
      const { row, isNew } = await takeOperation(tx, key)
      return {
        answer: { operationId: row.id, status: row.status },
        target: sandbox.id,
        ...(isNew && { after: () => installer.begin(row, application, machine, source) }),
      }
    })
  })

  api.serve(protocol.getSandboxApplicationOperation, async ({ member, params }) => {
    const sandbox = await router.sandbox(member, params.sandboxId)
    const row = await selectOperation(db, sandbox.id, params.operationId)
    if (!row) throw new ApiError('operation.NOT_FOUND')
    return { status: row.status, detail: row.detail }
  })
}
