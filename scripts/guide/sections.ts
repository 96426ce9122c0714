import type { Token, Tokens } from 'marked'
import { anchorOf } from './anchors.ts'
import type { Section } from './page.ts'

/** The title of a page and its sections, of which the search and the list of what is on the page are made. */
export function sectionsOf(tokens: readonly Token[]): { title: string; sections: readonly Section[] } {
  const sections: Section[] = [{ heading: '', anchor: '', depth: 1, text: '' }]
  const anchors = new Map<string, number>()
  let title = ''
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { depth, text } = token as Tokens.Heading
      const heading = plain(text)
      if (depth === 1) title ||= heading
      else sections.push({ heading, anchor: uniqueAnchor(heading, anchors), depth, text: '' })
      continue
    }
    const section = sections.at(-1)
    if (section) section.text += `${textOf(token)}\n`
  }
  return { title, sections }
}

/** As hosting platforms do it: what is there already gets a number. */
function uniqueAnchor(heading: string, anchors: Map<string, number>): string {
  const anchor = anchorOf(heading)
  const before = anchors.get(anchor) ?? 0
  anchors.set(anchor, before + 1)
  return before === 0 ? anchor : `${anchor}-${before}`
}

function textOf(token: Token): string {
  if (token.type === 'list') return (token as Tokens.List).items.map(({ text }) => plain(text)).join('\n')
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].map(cells => cells.map(({ text }) => plain(text)).join(' ')).join('\n')
  }
  if (token.type === 'code') return (token as Tokens.Code).text
  return token.type === 'paragraph' || token.type === 'blockquote'
    ? plain((token as Tokens.Paragraph).text)
    : ''
}

/** Markdown within a line, without its marks. */
function plain(markdown: string): string {
  return markdown.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/`|\*\*/g, '')
}
