import { Page } from '../../ui/page.tsx'

export function ImagesPage() {
  return <Page title="Images">…</Page>
}
