import { z } from 'zod'
import { Action } from './action.ts'
import { operation } from './operation.ts'

/** The unit of the coordinates in a model's text. All coordinates of one text have the same unit. */
export const Coordinates = z
  .object({
    unit: z
      .enum(['px', 'thousandths', 'fractions'])
      .describe('Pixels of the image that the model was given, or thousandths or fractions of its sides.'),
    reason: z.string().describe('Why the numbers were taken for this unit.'),
  })
  .meta({ id: 'Coordinates' })

/** The actions in a model's text. Text without an action is not an error: `actions` is empty. */
export const Parsed = z
  .object({
    actions: z.array(Action),
    thoughts: z.string().optional(),
    memory: z.string().optional(),
    unknown: z.string().optional().describe('Text that is neither a thought nor an action.'),
    coordinates: Coordinates.optional().describe(
      'Set if the text has coordinates, and the request the size of the screen or of the image.',
    ),
  })
  .meta({ id: 'Parsed' })
export type Parsed = z.infer<typeof Parsed>

const pixels = z.int().min(1).max(100_000).optional()

/** The size of the image that the model was given. */
export const imageSize = {
  imageWidth: pixels.describe(
    'The width of the image that the model was given, if it differs from the screen.',
  ),
  imageHeight: pixels.describe(
    'The height of the image that the model was given, if it differs from the screen.',
  ),
}

/** Additions to the contract: sizes that convert coordinates of a resized image to the screen. */
const sizes = {
  screenWidth: pixels.describe('The width of the screen that the actions target.'),
  screenHeight: pixels.describe('The height of the screen that the actions target.'),
  ...imageSize,
}

const ParseRequest = z.object({ textContent: z.string().describe('What the model wrote.'), ...sizes })

/** A family of models whose output can be parsed. */
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
  summary: "Parse a computer-use model's text into actions.",
  method: 'POST',
  pure: true,
  path: '/api/computer-use/parse/{type}',
  access: anyone,
  largeBody: true,
  body: ParseRequest,
  response: Parsed,
  examples: [
    {
      body: {
        textContent: "Thought: The form is filled in.\nAction: click(start_box='(500,500)')",
        screenWidth: 1280,
        screenHeight: 720,
      },
    },
  ],
  errors: ['parser.UNKNOWN_TYPE'],
})

export const parseMobileUseModelTextOutput = operation({
  id: 'parseMobileUseModelTextOutput',
  tag: 'Parsing',
  summary: "Parse a mobile-use model's text into actions.",
  method: 'POST',
  pure: true,
  path: '/api/mobile-use/parse/{type}',
  access: anyone,
  largeBody: true,
  body: ParseRequest,
  response: Parsed,
  examples: [
    {
      body: {
        textContent: "Thought: The switch is off.\nAction: click(start_box='(500,500)')",
        screenWidth: 1080,
        screenHeight: 2400,
      },
    },
  ],
  errors: ['parser.UNKNOWN_TYPE'],
})

export const parseModelOutput = operation({
  id: 'parseModelOutput',
  tag: 'Parsing',
  summary: "Parse a model's text into actions.",
  method: 'POST',
  pure: true,
  path: '/api/computer-use/parse',
  access: anyone,
  largeBody: true,
  body: ParseRequest.extend({
    model: z.enum(['ui-tars', 'seed', 'oai-compute-use']).describe('The family of the model.'),
  }),
  response: Parsed,
  deprecated: { since: '2025-09-02', successor: '/api/computer-use/parse/{type}' },
  examples: [
    {
      body: {
        model: 'ui-tars',
        textContent: "Thought: The form is filled in.\nAction: click(start_box='(500,500)')",
      },
    },
  ],
})

export const listParserTypes = operation({
  id: 'listParserTypes',
  tag: 'Parsing',
  summary: 'List the model families whose text can be parsed.',
  method: 'GET',
  path: '/api/parser-types',
  access: anyone,
  response: z.array(ParserType),
  addition: true,
})
