import { Page } from '../../ui/page.tsx'

export function AllImagesPage() {
  return <Page title="AllImages">…</Page>
}
