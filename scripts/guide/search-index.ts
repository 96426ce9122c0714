import type { FoundSection } from '../../apps/dashboard/src/guide/found-section.ts'
import { addressOf } from './addresses.ts'
import type { GuidePage } from './page.ts'

/** What the search of the guide reads: the sections of all Markdown pages. Generated output is left out of it. */
export function searchIndexOf(pages: readonly GuidePage[]): readonly FoundSection[] {
  return pages
    .filter(({ file }) => file.endsWith('.md'))
    .flatMap(({ file, title, sections }) =>
      sections
        .filter(({ heading, text }) => heading !== '' || text.trim() !== '')
        .map(({ heading, anchor, text }) => ({
          page: title,
          heading,
          address: anchor === '' ? addressOf(file) : `${addressOf(file)}#${anchor}`,
          text: text.replaceAll(/\s+/g, ' ').trim(),
        })),
    )
}
