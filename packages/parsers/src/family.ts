import type { Dialect } from './dialect.ts'
import type { Reading } from './reading.ts'

/** One family of models: how its texts are read, and what its numbers and words count. */
export interface Family {
  readonly about: string
  readonly dialect: Dialect
  read(reading: Reading): void
}
