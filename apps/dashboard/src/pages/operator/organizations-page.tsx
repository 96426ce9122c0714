import { Page } from '../../ui/page.tsx'

export function OrganizationsPage() {
  return <Page title="Organizations">…</Page>
}
