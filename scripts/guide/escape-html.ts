const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** The text as it is written in HTML, also within an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/g, character => entities[character] ?? character)
}
