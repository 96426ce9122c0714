import { z } from 'zod'
import { Action } from './action.ts'
import { operation } from './operation.ts'

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

const ParseRequest = z.object({ textContent: z.string() })
const anyone = { to: 'anyone' } as const

export const parseModelTextOutput = operation({
  id: 'parseModelTextOutput',
  tag: 'Parsing',
  summary: "Read a computer-use model's text as actions.",
  method: 'POST',
  path: '/api/computer-use/parse/{type}',
  access: anyone,
  body: ParseRequest,
  response: Parsed,
})

export const parseMobileUseModelTextOutput = operation({
  id: 'parseMobileUseModelTextOutput',
  tag: 'Parsing',
  summary: "Read a mobile-use model's text as actions.",
  method: 'POST',
  path: '/api/mobile-use/parse/{type}',
  access: anyone,
  body: ParseRequest,
  response: Parsed,
})

export const parseModelOutput = operation({
  id: 'parseModelOutput',
  tag: 'Parsing',
  summary: "Read a model's text as actions.",
  method: 'POST',
  path: '/api/computer-use/parse',
  access: anyone,
  body: z.object({ model: z.enum(['ui-tars', 'seed', 'oai-compute-use']), textContent: z.string() }),
  response: Parsed,
  deprecated: { since: '2025-09-02', successor: '/api/computer-use/parse/{type}' },
})
