import { z } from 'zod'
import { Action } from './action.ts'

/** What a model's text says to do. Text that holds no action is no error: `actions` is empty. */
export const Parsed = z
  .object({
    actions: z.array(Action),
    thoughts: z.string().optional(),
    memory: z.string().optional(),
    unknown: z.string().optional().describe('Text that is neither thought nor action.'),
  })
  .meta({ id: 'Parsed' })
export type Parsed = z.infer<typeof Parsed>

/** The body of both parse operations that name the model family in their path. */
export const ParseRequest = z.object({ textContent: z.string() })

/** The body of the deprecated parse operation. */
export const ParseModelRequest = z.object({
  model: z.enum(['ui-tars', 'seed', 'oai-compute-use']),
  textContent: z.string(),
})
