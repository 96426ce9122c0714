import { Page } from '../../ui/page.tsx'

export function NodesPage() {
  return <Page title="Nodes">…</Page>
}
