import * as protocol from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { createKeyAs, revokeKeyAs } from './service.ts'
import { selectKeys } from './store.ts'

export function serveApiKeys(api: Api, db: Database): void {
  api.serve(protocol.listApiKeys, ({ params }) => selectKeys(db, params.orgId))

  api.serve(protocol.createApiKey, ({ params, body, member, change }) =>
    change(async tx => {
      const key = await createKeyAs(tx, member.role, params.orgId, body)
      return { answer: key, target: key.id }
    }),
  )

  api.serve(protocol.revokeApiKey, ({ params, member, change }) =>
    change(async tx => {
      await revokeKeyAs(tx, member.role, params.orgId, params.keyId)
      return { answer: undefined, target: params.keyId }
    }),
  )
}
