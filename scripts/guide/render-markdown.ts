import { Marked } from 'marked'
import { addressOf, targetOf } from './addresses.ts'
import { codeBlock } from './code-block.ts'
import { escapeHtml } from './escape-html.ts'
import type { GuidePage } from './page.ts'
import { sectionsOf } from './sections.ts'

/** Where the files are to which a page refers. */
export interface Surroundings {
  /** Takes a picture into the guide, and returns its address. */
  readonly pictureAt: (file: string) => string
  /** The file that is shown for a path: of a folder its README, if it has one. */
  readonly shownFor: (path: string) => string
}

/** A page of Markdown as HTML. Links to other files of the repository lead to their pages in the guide. */
export function renderMarkdown(file: string, text: string, { pictureAt, shownFor }: Surroundings): GuidePage {
  const links: string[] = []
  const locate = (href: string): string => {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href
    const [path = '', anchor] = href.split('#')
    const target = shownFor(targetOf(file, path))
    links.push(target)
    return `${addressOf(target)}${anchor === undefined ? '' : `#${anchor}`}`
  }

  const marked = new Marked()
  const tokens = marked.lexer(text)
  const { title, sections } = sectionsOf(tokens)
  const anchors = sections.slice(1).map(({ anchor }) => anchor)
  marked.use({
    renderer: {
      heading({ tokens: inner, depth }) {
        const content = this.parser.parseInline(inner)
        if (depth === 1) return `<h1>${content}</h1>\n`
        const anchor = anchors.shift() ?? ''
        return `<h${depth} id="${anchor}">${content} <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a></h${depth}>\n`
      },
      link({ href, tokens: inner }) {
        return `<a href="${escapeHtml(locate(href))}">${this.parser.parseInline(inner)}</a>`
      },
      image({ href, text: alternative }) {
        const source = pictureAt(targetOf(file, href))
        return `<img src="${escapeHtml(source)}" alt="${escapeHtml(alternative)}" loading="lazy">`
      },
      code({ text: code, lang = '' }) {
        const [language = '', name] = lang.split(' ')
        return codeBlock(code, language, name)
      },
      table({ header, rows }) {
        const row = (cells: typeof header, tag: 'th' | 'td') =>
          `<tr>${cells.map(cell => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>\n`
        const hasHead = header.some(cell => cell.text !== '')
        const head = hasHead ? `<thead>${row(header, 'th')}</thead>` : ''
        const body = rows.map(cells => row(cells, 'td')).join('')
        return `<div class="scrolled" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body}</tbody></table></div>\n`
      },
      // The only HTML in the pages are comments for the programs that write parts of them.
      html: () => '',
    },
  })
  return { file, title: title || file, html: marked.parser(tokens), sections, links }
}
