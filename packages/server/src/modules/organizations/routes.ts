import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { createKey } from '../api-keys/service.ts'
import { createOrganization, deleteOrganization, updateOrganization } from './service.ts'
import { lockOrganization, selectOrganization, selectOrganizations } from './store.ts'

export function serveOrganizations(api: Api, db: Database): void {
  api.serve(protocol.getOrganization, async ({ params }) => {
    const organization = await selectOrganization(db, params.orgId)
    if (!organization) throw new ApiError('organization.NOT_FOUND')
    return organization
  })

  api.serve(protocol.listOrganizations, () => selectOrganizations(db))

  api.serve(protocol.createOrganization, ({ body, change }) =>
    change(async tx => {
      const created = await createOrganization(tx, body)
      return { answer: created, target: created.organization.id }
    }),
  )

  api.serve(protocol.updateOrganization, ({ params, body, change }) =>
    change(async tx => {
      const organization = await updateOrganization(tx, params.organizationId, body)
      return { answer: organization, target: organization.id }
    }),
  )

  api.serve(protocol.deleteOrganization, ({ params, change }) =>
    change(async tx => {
      await deleteOrganization(tx, params.organizationId)
      return { answer: undefined, target: params.organizationId }
    }),
  )

  api.serve(protocol.createOwnerKey, ({ params, body, change }) =>
    change(async tx => {
      if (!(await lockOrganization(tx, params.organizationId))) throw new ApiError('organization.NOT_FOUND')
      const key = await createKey(tx, params.organizationId, { name: body.name, role: 'owner' })
      return { answer: key, target: key.id }
    }),
  )
}
