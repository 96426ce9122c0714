import type { Dialect } from './dialect.ts'
import type { Grammar } from './grammar.ts'
import type { Reading } from './reading.ts'

/** One family of models: how its texts are read, and what its numbers and words count. */
export interface Family {
  readonly about: string
  /** For a family whose texts are mostly plain ones: a thought and a call, each after its label. */
  readonly plain?: Grammar
  /** Reads the text into pieces, and answers in which dialect their numbers are. */
  read(reading: Reading): Dialect
}
