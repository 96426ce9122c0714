import { Page } from '../../ui/page.tsx'

export function CreatePage() {
  return <Page title="Create">…</Page>
}
