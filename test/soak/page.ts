import { readFile, writeFile } from 'node:fs/promises'

const page = new URL('../../docs/soak.md', import.meta.url)
export const begin = '<!-- written by `npm run soak -- --page` -->'
export const end = '<!-- end of what is written by `npm run soak -- --page` -->'

/** Replaces what is between the markers of docs/soak.md. */
export async function writePage(text: string): Promise<void> {
  await writeFile(page, withReport(await readFile(page, 'utf8'), text))
}

export function withReport(whole: string, text: string): string {
  const [from, to] = [whole.indexOf(begin), whole.indexOf(end)]
  if (from < 0 || to < from) throw new Error('docs/soak.md has lost the markers of its generated part.')
  return `${whole.slice(0, from + begin.length)}\n${text}\n${whole.slice(to)}`
}
