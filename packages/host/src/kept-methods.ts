import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { ofEngine, Passed } from './access-methods.ts'

const Kept = ofEngine.extend({ kind: z.enum(['disk', 'volume', 'base']), id: z.string().max(100) })

/** Reads what an engine keeps, for backups. An engine refuses it if it cannot. */
export const keptMethods = {
  /** Null if there is no such thing. */
  describeKept: method({
    args: Kept,
    result: z
      .object({ about: z.json(), base: z.string().exactOptional(), occupiedMiB: z.number() })
      .nullable(),
  }),
  /** Passes a connection on which the content comes, and ends. One is read at a time. */
  readKept: method({ args: Kept, result: Passed }),
  /** Answers when all content that was asked for last has been sent, and throws why it has not. */
  keptRead: method({ args: z.strictObject({}), result: z.void() }),
}
export type KeptMethods = typeof keptMethods
