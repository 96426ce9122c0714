import { Page } from '../../ui/page.tsx'
import { AuditTable } from '../audit/audit-table.tsx'

/** What operators changed. */
export function OperatorAuditPage() {
  return (
    <Page title="Audit" about="Every change that operators made.">
      <AuditTable operation="listOperatorAuditLog" />
    </Page>
  )
}
