import { highlighted } from './code.ts'
import { escapeHtml } from './escape-html.ts'

/** Code to read and to copy, below the name of the file in which it belongs, if it has one. */
export function codeBlock(code: string, language: string, name?: string): string {
  const caption = name ? `<figcaption>${escapeHtml(name)}</figcaption>` : ''
  const label = name ?? (language === 'sh' ? 'Commands' : 'Code')
  // What is wider than the page is scrolled by itself, also by keyboard.
  const pre = `<pre tabindex="0" role="group" aria-label="${escapeHtml(label)}"><code>${highlighted(code, language)}</code></pre>`
  return `<figure class="code" data-language="${escapeHtml(language)}">${caption}${pre}</figure>\n`
}
