/** An element of an XML document: with text, or with further elements. */
export interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly content: string | readonly Element[]
}

export function element(
  name: string,
  content: Element['content'],
  attributes: Readonly<Record<string, string>> = {},
): Element {
  return { name, attributes, content }
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** Text as it is written in XML. Characters that XML cannot have are left out. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, character => escapes[character] ?? '')
}

function render({ name, attributes, content }: Element, indent: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(value)}"`)
  const opening = `${indent}<${name}${written.join('')}>`
  if (typeof content === 'string') return `${opening}${escapeXml(content)}</${name}>\n`
  return `${opening}\n${content.map(one => render(one, `${indent}  `)).join('')}${indent}</${name}>\n`
}

export const xmlDocument = (root: Element): string =>
  `<?xml version="1.0" encoding="utf-8"?>\n${render(root, '')}`
