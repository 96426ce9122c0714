import type { Dialect } from './dialect.ts'
import type { Intent, Intents } from './intent.ts'
import type { Layout } from './readers/outline.ts'
import type { Fields } from './readers/value.ts'
import type { Space } from './screen.ts'

/** What a family's text is made of, for the readers that all families share. */
export interface Grammar extends Layout {
  readonly dialect: Dialect
  /** Actions written as calls: `click(point='…')`. */
  readonly calls: boolean
  /** Actions written as objects: `{"action": "click", …}`. */
  readonly objects: boolean
  /** Actions written as tags: `<function=click><parameter=point>…`. */
  readonly functions: boolean
  /** Words that stand alone for an action, such as `DONE`. */
  readonly words: ReadonlyMap<string, Intent>
  /** Whether a call of this name can be believed where no label announces it. */
  knows(name: string): boolean
  /** Where in prose such a call may stand. */
  readonly unannounced: 'first in line' | 'by name'
  /** What an operation means; undefined when the family has no such operation or its fields are wrong. */
  understand(verb: string, fields: Fields, dialect: Dialect, space: Space): Intents | undefined
  /** The family's own objects, which name no operation. */
  understandObject?(fields: Fields, dialect: Dialect): Intents | undefined
}
