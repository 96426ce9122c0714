import { getUsage } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { selectUsage } from '../../records/usage.ts'

export function serveUsage(api: Api, db: Database): void {
  api.serve(getUsage, ({ params, query }) => selectUsage(db, params.orgId, query))
}
