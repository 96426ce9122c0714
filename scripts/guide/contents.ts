import { Marked, type Token, type Tokens } from 'marked'
import { addressOf, targetOf } from './addresses.ts'
import { escapeHtml } from './escape-html.ts'

/** The page that lists all others. Its headings are the parts of the guide, and the first link of an entry is a page. */
export const indexPage = 'docs/README.md'

export interface Entry {
  readonly file: string
  readonly title: string
}

export interface Part {
  readonly title: string
  readonly depth: number
  readonly entries: readonly Entry[]
}

/** What the navigation shows, as the index says. */
export function partsOf(index: string): readonly Part[] {
  const parts: { title: string; depth: number; entries: Entry[] }[] = []
  for (const token of new Marked().lexer(index)) {
    if (token.type === 'heading' && token['depth'] > 1)
      parts.push({ title: token['text'], depth: token['depth'], entries: [] })
    if (token.type !== 'list') continue
    for (const item of (token as Tokens.List).items) {
      const link = firstLink(item.tokens)
      if (link) parts.at(-1)?.entries.push({ file: targetOf(indexPage, link.href), title: link.text })
    }
  }
  return parts
}

function firstLink(tokens: readonly Token[]): Tokens.Link | undefined {
  for (const token of tokens) {
    if (token.type === 'link') return token as Tokens.Link
    const inner = 'tokens' in token && token.tokens ? firstLink(token.tokens) : undefined
    if (inner) return inner
  }
  return undefined
}

/** The navigation, with the page that is shown marked. */
export function contentsHtml(parts: readonly Part[], shown: string): string {
  return parts
    .map(({ title, depth, entries }) => {
      const items = entries.map(({ file, title: name }) => {
        const current = file === shown ? ' aria-current="page"' : ''
        return `<li><a href="${addressOf(file)}"${current}>${escapeHtml(name)}</a></li>`
      })
      const list = items.length > 0 ? `<ul>${items.join('')}</ul>` : ''
      return `<h${depth}>${escapeHtml(title)}</h${depth}>${list}`
    })
    .join('\n')
}
