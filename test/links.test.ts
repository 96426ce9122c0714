import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { anchorOf } from '../scripts/guide/anchors.ts'
import { markdownPages } from '../scripts/guide/markdown-pages.ts'

const root = join(import.meta.dirname, '..')

const pages: string[] = []
for await (const page of glob(markdownPages, { cwd: root })) pages.push(page)

/** What a page says outside of its code blocks. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replaceAll(/^(`{3,}).*\n[\s\S]*?\n\1$/gm, '')
}

/** The anchors of a page's headings, as hosting platforms make them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(headings.map(anchorOf))
}

test('there are pages to look at', () => {
  for (const page of ['README.md', 'ARCHITECTURE.md', 'docs/operating.md', 'contributing/README.md'])
    assert.ok(pages.includes(page), page)
})

for (const page of pages)
  test(`every relative link in ${page} points to a file, and to a heading if it names one`, () => {
    const prose = proseOf(page).replaceAll(/`[^`\n]*`/g, '')
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? page : join(dirname(page), path)
      assert.ok(existsSync(join(root, file)), `${target} does not exist`)
      if (anchor !== undefined) assert.ok(anchorsOf(file).has(anchor), `${target} names no heading`)
    }
  })

test('the index names every page of docs/', () => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const missing = pages.filter(
    page =>
      /^docs\/(how-to\/)?[^/]+\.md$/.test(page) &&
      page !== 'docs/README.md' &&
      !index.includes(`](${page.slice('docs/'.length)})`),
  )
  assert.deepEqual(missing, [])
})

/** The first part of a path of the repository, as opposed to one of a machine or of a data directory. */
const folders = /^(packages|apps|bench|contributing|docs|images|scripts|test|\.github)\//

const guides = ['ARCHITECTURE.md', ...pages.filter(page => page.startsWith('contributing/'))]

for (const page of guides)
  test(`every file that ${page} names is there`, () => {
    const named = [...proseOf(page).matchAll(/`([^`\s]+)`/g)].map(([, name = '']) => name)
    // A placeholder such as packages/parsers/src/families/<name>.ts stands for a file that is yet to be written.
    const paths = named.filter(name => folders.test(name) && !/[<*{]/.test(name))
    for (const path of paths) assert.ok(existsSync(join(root, path)), `${path} does not exist`)
  })
