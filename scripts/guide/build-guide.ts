import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { nameOf } from './addresses.ts'
import { GuideAssets } from './assets.ts'
import { collectPages } from './collect-pages.ts'
import { contentsHtml, indexPage, partsOf } from './contents.ts'
import { escapeHtml } from './escape-html.ts'
import type { GuidePage } from './page.ts'
import { searchIndexOf } from './search-index.ts'

/**
 * Writes the guide into a folder: a complete HTML file for each page, so that it can be read without scripts, and what
 * the pages need. `frame` is the page that Vite has built of apps/dashboard/guide.html.
 */
export async function buildGuide(root: string, frame: string, folder: string, stamp: string): Promise<void> {
  const assets = new GuideAssets(root)
  const pages = await collectPages(root, file => assets.picture(file))
  const parts = partsOf(await readFile(join(root, indexPage), 'utf8'))
  const searchIndex = assets.add('search.json', Buffer.from(JSON.stringify(searchIndexOf(pages))))

  // Build in a separate folder, so that neither what is served meanwhile nor a concurrent build is disturbed.
  const fresh = `${folder}-${process.pid}`
  for (const page of pages) {
    const html = fill(frame, {
      title: page.title,
      contents: contentsHtml(parts, page.file),
      page: page.html,
      sections: sectionsHtml(page),
      search: searchIndex,
    })
    const target = join(fresh, `pages/${nameOf(page.file)}.html`)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, html)
  }
  await assets.write(join(fresh, 'assets'))
  await writeFile(join(fresh, '.sources'), stamp)
  await rm(folder, { recursive: true, force: true })
  await rename(fresh, folder)
}

/** Replaces the places of the frame. */
function fill(
  frame: string,
  values: Readonly<Record<'title' | 'contents' | 'page' | 'sections' | 'search', string>>,
) {
  return (
    frame
      .replace('{{title}}', () => escapeHtml(values.title))
      .replace('{{search}}', () => values.search)
      .replace('<!-- contents -->', () => values.contents)
      .replace('<!-- sections -->', () => values.sections)
      .replace('<!-- page -->', () => values.page)
      // The colours are chosen before anything is shown, where browsers know this, so that nothing flashes.
      .replace('<script type="module"', '<script type="module" blocking="render"')
  )
}

/** What is on the page, for the margin of a wide screen. */
function sectionsHtml({ sections }: GuidePage): string {
  const shown = sections.filter(({ depth, anchor }) => depth === 2 && anchor !== '')
  if (shown.length < 2) return ''
  const items = shown.map(({ anchor, heading }) => `<li><a href="#${anchor}">${escapeHtml(heading)}</a></li>`)
  return `<nav aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`
}
