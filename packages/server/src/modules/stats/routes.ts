import { getStats, type Stats } from '@sandglass/protocol'
import type { Prepared } from '../../db/database.ts'
import { FreshReads } from '../../db/fresh-reads.ts'
import type { Api } from '../../http/api.ts'
import { countResources } from './store.ts'

export function serveStats(api: Api, prepared: Prepared): void {
  const reads = new FreshReads<Stats>()
  api.serve(getStats, ({ params: { orgId } }) => reads.read(orgId, () => countResources(prepared, orgId)))
}
