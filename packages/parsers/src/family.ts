import type { Dialect } from './dialect.ts'
import type { Grammar } from './grammar.ts'
import type { Reading } from './reading.ts'

/** A family of models: how to read its texts, and what its numbers and words mean. */
export interface Family {
  readonly about: string
  /**
   * Set for families whose texts are mostly plain: a thought and a call, each after a label. Those are parsed faster.
   */
  readonly plain?: Grammar
  /** Reads the text into pieces and returns the dialect of its numbers. */
  read(reading: Reading): Dialect
}
