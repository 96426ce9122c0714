import { addressOf } from './addresses.ts'
import { codeBlock } from './code-block.ts'
import { escapeHtml } from './escape-html.ts'
import type { GuidePage } from './page.ts'

/** A file to which a page links, such as an example, as it is. */
export function renderFile(file: string, text: string): GuidePage {
  const extension = file.slice(file.lastIndexOf('.') + 1)
  const html = `<h1>${escapeHtml(file)}</h1>\n${codeBlock(text, extension)}`
  return { file, title: file, html, sections: [{ heading: '', anchor: '', depth: 1, text: '' }], links: [] }
}

/** A folder to which a page links: the names of what is in it. */
export function renderFolder(folder: string, names: readonly string[]): GuidePage {
  const links = names.map(name => `${folder}/${name}`)
  const items = links.map(
    (file, index) => `<li><a href="${addressOf(file)}">${escapeHtml(names[index] ?? '')}</a></li>`,
  )
  const html = `<h1>${escapeHtml(folder)}</h1>\n<ul>${items.join('')}</ul>`
  return { file: folder, title: folder, html, sections: [], links }
}
