import type { ErrorDefinition } from './definition.ts'

/** Errors of parsing what a model wrote. */
export const parserErrors = {
  'parser.UNKNOWN_TYPE': {
    status: 404,
    message: 'There is no parser of this type.',
    hint: 'Call listParserTypes to see the available types.',
  },
  'parser.NO_ACTION': {
    status: 400,
    message: 'The text has no action that can be performed.',
    hint: 'Check that type is the family of the model, and ask the model again.',
  },
  'parser.ACTION_UNKNOWN': {
    status: 400,
    message: 'The text has an action that cannot be performed, so nothing was done.',
    hint: 'Ask the model again, or parse the text with parseModelTextOutput and perform what you want of it.',
  },
  'parser.UNITS': {
    status: 400,
    message: 'The coordinates in the text fit no unit.',
    hint: 'Send imageWidth and imageHeight if the model was given an image of another size than the screen, or ask the model again.',
  },
  'parser.TOO_MANY_ACTIONS': {
    status: 400,
    message: 'The text has more actions than can be performed in one call.',
    hint: 'Parse it with parseModelTextOutput, and perform the actions in several calls.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
