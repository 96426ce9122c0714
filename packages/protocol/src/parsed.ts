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

const pixels = z.int().min(1).max(100_000).optional()

/** Ours: sizes that turn the pixels of a resized image into the right place on the screen. */
const sizes = {
  screenWidth: pixels.describe('The width of the screen that the actions are for.'),
  screenHeight: pixels,
  imageWidth: pixels.describe('The width of the picture that the model was given, where it differs.'),
  imageHeight: pixels,
}

const ParseRequest = z.object({ textContent: z.string(), ...sizes })

export const ParserType = z
  .object({
    type: z.string(),
    spaces: z.array(z.enum(['computer', 'mobile'])),
    about: z.string(),
  })
  .meta({ id: 'ParserType' })
const anyone = { to: 'anyone' } as const

export const parseModelTextOutput = operation({
  id: 'parseModelTextOutput',
  tag: 'Parsing',
  summary: "Read a computer-use model's text as actions.",
  method: 'POST',
  pure: true,
  path: '/api/computer-use/parse/{type}',
  access: anyone,
  body: ParseRequest,
  response: Parsed,
  errors: ['parser.UNKNOWN_TYPE'],
})

export const parseMobileUseModelTextOutput = operation({
  id: 'parseMobileUseModelTextOutput',
  tag: 'Parsing',
  summary: "Read a mobile-use model's text as actions.",
  method: 'POST',
  pure: true,
  path: '/api/mobile-use/parse/{type}',
  access: anyone,
  body: ParseRequest,
  response: Parsed,
  errors: ['parser.UNKNOWN_TYPE'],
})

export const parseModelOutput = operation({
  id: 'parseModelOutput',
  tag: 'Parsing',
  summary: "Read a model's text as actions.",
  method: 'POST',
  pure: true,
  path: '/api/computer-use/parse',
  access: anyone,
  body: ParseRequest.extend({ model: z.enum(['ui-tars', 'seed', 'oai-compute-use']) }),
  response: Parsed,
  deprecated: { since: '2025-09-02', successor: '/api/computer-use/parse/{type}' },
})

export const listParserTypes = operation({
  id: 'listParserTypes',
  tag: 'Parsing',
  summary: 'The families of models whose text can be read.',
  method: 'GET',
  path: '/api/parser-types',
  access: anyone,
  response: z.array(ParserType),
  addition: true,
})
