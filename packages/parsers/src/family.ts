import type { Dialect } from './dialect.ts'
import type { Reading } from './reading.ts'

/** One family of models: how its texts are read, and what its numbers and words count. */
export interface Family {
  readonly about: string
  /** Reads the text into pieces, and answers in which dialect their numbers are. */
  read(reading: Reading): Dialect
}
