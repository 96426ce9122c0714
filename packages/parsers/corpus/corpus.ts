import { readdirSync, readFileSync } from 'node:fs'
import { Parsed } from '@sandglass/protocol'
import { isParserType, type ParserType } from '../src/parse.ts'
import type { Screen, Space } from '../src/screen.ts'

/** A case of the corpus: what a text of a family must come to, and by its name why. */
export interface CorpusCase {
  readonly name: string
  readonly type: ParserType
  readonly space: Space
  readonly text: string
  readonly screen?: Screen
  readonly parsed: Parsed
}

const folder = new URL('./', import.meta.url)

/** The whole corpus, a file after the other. */
export function readCorpus(): CorpusCase[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .sort()
    .flatMap(file => {
      const cases: CorpusCase[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
      for (const { name, type, parsed } of cases) {
        if (!isParserType(type)) throw new Error(`${file}: ${name} is of no known type`)
        Parsed.parse(parsed)
      }
      return cases
    })
}
