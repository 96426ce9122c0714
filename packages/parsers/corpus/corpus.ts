import { readdirSync, readFileSync } from 'node:fs'
import { Parsed } from '@sandglass/protocol'
import { isParserType, type ParserType } from '../src/parse.ts'
import type { Screen, Space } from '../src/screen.ts'

/** A case of the corpus: a text of a family and the expected result; the name says what it covers. */
export interface CorpusCase {
  readonly name: string
  readonly type: ParserType
  readonly space: Space
  readonly text: string
  readonly screen?: Screen
  readonly parsed: Parsed
}

const folder = new URL('./', import.meta.url)

/** All cases of all files. */
export function readCorpus(): CorpusCase[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.json'))
    .sort()
    .flatMap(file => {
      const cases: CorpusCase[] = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
      for (const { name, type, parsed } of cases) {
        if (!isParserType(type)) throw new Error(`${file}: ${name} has an unknown type`)
        Parsed.parse(parsed)
      }
      return cases
    })
}
