import { existsSync } from 'node:fs'
import { glob, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { markdownPages } from './markdown-pages.ts'
import type { GuidePage } from './page.ts'
import { renderFile, renderFolder } from './render-file.ts'
import { renderMarkdown, type Surroundings } from './render-markdown.ts'

/** Every Markdown page, and every file and folder to which one of them links, directly or through others. */
export async function collectPages(
  root: string,
  pictureAt: (file: string) => string,
): Promise<readonly GuidePage[]> {
  const surroundings = { pictureAt, shownFor: (path: string) => shownFor(root, path) }
  const pages = new Map<string, GuidePage>()
  const render = async (file: string): Promise<void> => {
    if (pages.has(file)) return
    const page = await renderTarget(root, file, surroundings)
    pages.set(file, page)
    for (const link of page.links) await render(link)
  }
  for await (const file of glob(markdownPages, { cwd: root })) await render(file)
  return [...pages.values()].sort((a, b) => (a.file < b.file ? -1 : 1))
}

function shownFor(root: string, path: string): string {
  const readme = `${path}/README.md`
  return existsSync(join(root, readme)) ? readme : path
}

async function renderTarget(root: string, file: string, surroundings: Surroundings): Promise<GuidePage> {
  const path = join(root, file)
  if ((await stat(path)).isDirectory()) {
    const entries = await readdir(path, { withFileTypes: true })
    return renderFolder(file, entries.map(({ name }) => name).sort())
  }
  const text = await readFile(path, 'utf8')
  return file.endsWith('.md') ? renderMarkdown(file, text, surroundings) : renderFile(file, text)
}
