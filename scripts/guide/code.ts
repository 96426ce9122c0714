import { javascriptLanguage, typescriptLanguage } from '@codemirror/lang-javascript'
import { jsonLanguage } from '@codemirror/lang-json'
import { pythonLanguage } from '@codemirror/lang-python'
import type { LRLanguage } from '@codemirror/language'
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight'
import { escapeHtml } from './escape-html.ts'

const languages: Readonly<Record<string, LRLanguage>> = {
  js: javascriptLanguage,
  ts: typescriptLanguage,
  json: jsonLanguage,
  py: pythonLanguage,
  python: pythonLanguage,
}

/** Classes that apps/dashboard/src/guide/code.css colours as the editor of the dashboard does. */
const classes = tagHighlighter([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], class: 'keyword' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: 'string' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], class: 'number' },
  { tag: [tags.comment, tags.meta], class: 'comment' },
  { tag: [tags.typeName, tags.className, tags.definition(tags.variableName)], class: 'name' },
  { tag: [tags.propertyName, tags.attributeName], class: 'name' },
])

/** The code as HTML, with its parts in elements that have a colour. */
export function highlighted(code: string, language: string): string {
  const known = languages[language]
  if (!known) return language === 'sh' ? highlightedCommands(code) : escapeHtml(code)
  let html = ''
  highlightCode(
    code,
    known.parser.parse(code),
    classes,
    (text, name) => {
      html += name ? `<span class="${name}">${escapeHtml(text)}</span>` : escapeHtml(text)
    },
    () => {
      html += '\n'
    },
  )
  return html
}

/** In commands only comments stand out. */
function highlightedCommands(code: string): string {
  return code
    .split('\n')
    .map(line => (/^\s*#/.test(line) ? `<span class="comment">${escapeHtml(line)}</span>` : escapeHtml(line)))
    .join('\n')
}
