import { writeFile } from 'node:fs/promises'
import { pages } from './pages.ts'

/** Writes the pages of docs/ that are generated from the code. */
for (const [name, text] of Object.entries(pages())) {
  await writeFile(new URL(`../docs/${name}`, import.meta.url), text)
  console.log(`docs/${name}`)
}
