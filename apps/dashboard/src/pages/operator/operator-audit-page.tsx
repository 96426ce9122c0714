import { Page } from '../../ui/page.tsx'

export function OperatorAuditPage() {
  return <Page title="OperatorAudit">…</Page>
}
