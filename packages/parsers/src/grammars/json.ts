import type { Dialect } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Grammar } from '../grammar.ts'
import { labelWords } from '../readers/labels.ts'
import { readText } from '../readers/text.ts'
import { isWord, understand } from '../vocabulary/vocabulary.ts'

/** The grammar of interfaces whose tool calls are JSON. Text outside of objects is prose. */
export function jsonGrammar(dialect: Dialect, meaning: Grammar['understand'] = understand): Grammar {
  return {
    dialect,
    labels: labelWords({}),
    tags: new Map([['think*', 'thought']]),
    calls: false,
    objects: true,
    functions: true,
    words: new Map(),
    knows: isWord,
    unannounced: 'first in line',
    understand: meaning,
  }
}

export function jsonFamily(about: string, grammar: Grammar): Family {
  return { about, read: reading => readText(reading, grammar) }
}

/** The dialect of interfaces with pixel coordinates. */
export const pixels: Dialect = {
  units: 'pixels',
  resize: { rule: 'none' },
  waitMs: 1000,
  clickAtPointer: true,
  blankBetweenKeys: 'chord',
  pressHolds: false,
  newLineIsEnter: 'always',
}
