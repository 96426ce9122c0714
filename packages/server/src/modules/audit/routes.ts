import { type AuditFilter, listAuditLog, listOperatorAuditLog } from '@sandglass/protocol'
import { readAudit } from '../../audit/store.ts'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'

export function serveAudit(api: Api, db: Database): void {
  api.serve(listAuditLog, ({ params, query }) => page(db, params.orgId, query))
  api.serve(listOperatorAuditLog, ({ query }) => page(db, null, query))
}

async function page(db: Database, orgId: string | null, filter: AuditFilter) {
  const entries = await readAudit(db, orgId, filter)
  const last = entries.length === filter.limit ? entries.at(-1) : undefined
  return { entries, nextCursor: last?.id ?? null }
}
