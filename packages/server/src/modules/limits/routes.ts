import { getLimits, type Limits } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import { FreshReads } from '../../db/fresh-reads.ts'
import type { Api } from '../../http/api.ts'
import { readLimits } from './read-limits.ts'

export function serveLimits(api: Api, db: Database): void {
  const reads = new FreshReads<Limits>()
  api.serve(getLimits, ({ params: { orgId } }) => reads.read(orgId, () => readLimits(db, orgId)))
}
