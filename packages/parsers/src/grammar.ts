import type { Dialect } from './dialect.ts'
import type { Intent, Intents } from './intent.ts'
import type { Layout } from './readers/outline.ts'
import type { Fields } from './readers/value.ts'
import type { Space } from './screen.ts'

/** The syntax of a family's texts, for the shared readers. */
export interface Grammar extends Layout {
  readonly dialect: Dialect
  /** Actions written as calls: `click(point='…')`. */
  readonly calls: boolean
  /** Actions written as objects: `{"action": "click", …}`. */
  readonly objects: boolean
  /** Actions written as tags: `<function=click><parameter=point>…`. */
  readonly functions: boolean
  /** Words that are an action by themselves, such as `DONE`. */
  readonly words: ReadonlyMap<string, Intent>
  /** Whether a call with this name is accepted without a label before it. */
  knows(name: string): boolean
  /** Where in prose such a call may be. */
  readonly unannounced: 'first in line' | 'by name'
  /** What an operation means; undefined if the family does not have it or its fields are invalid. */
  understand(verb: string, fields: Fields, dialect: Dialect, space: Space): Intents | undefined
  /** Reads objects that only this family has and that do not name an operation. */
  understandObject?(fields: Fields, dialect: Dialect): Intents | undefined
}
