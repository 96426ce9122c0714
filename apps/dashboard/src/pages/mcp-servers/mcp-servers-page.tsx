import { Page } from '../../ui/page.tsx'

export function McpServersPage() {
  return <Page title="McpServers">…</Page>
}
