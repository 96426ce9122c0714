import type { FoundSection } from './found-section.ts'

const most = 12

/** The sections in which every word occurs, at the beginning of a word. Those that have them in their headings come first. */
export function findSections(sections: readonly FoundSection[], text: string): FoundSection[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return sections
    .flatMap(section => {
      const rank = rankOf(section, words)
      return rank === undefined ? [] : [{ section, rank }]
    })
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ section }) => section)
}

/** Undefined if a word is missing; otherwise 0 for the best. */
function rankOf({ page, heading, text }: FoundSection, words: readonly string[]): number | undefined {
  const fields = [heading || page, `${page} ${heading}`, text].map(field => ` ${field.toLowerCase()}`)
  let rank = 0
  for (const word of words) {
    const field = fields.findIndex(each => beginsWord(each, word))
    if (field < 0) return undefined
    rank += field
  }
  return rank
}

function beginsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/[a-z0-9]/.test(text[at - 1] ?? ' ')) return true
  return false
}
