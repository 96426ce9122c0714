import { Page } from '../../ui/page.tsx'

export function AllSandboxesPage() {
  return <Page title="AllSandboxes">…</Page>
}
