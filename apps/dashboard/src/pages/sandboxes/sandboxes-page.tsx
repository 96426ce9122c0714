import { Page } from '../../ui/page.tsx'

export function SandboxesPage() {
  return <Page title="Sandboxes">…</Page>
}
