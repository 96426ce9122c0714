import { Page } from '../../ui/page.tsx'
import { AuditTable } from './audit-table.tsx'

/** Who changed what in the organization. */
export function AuditPage() {
  return (
    <Page title="Audit" about="Every change that was made or refused. Entries are never edited.">
      <AuditTable operation="listAuditLog" />
    </Page>
  )
}
