import { Ajv, type AnySchema } from 'ajv'

/** What is wrong with a value. */
export function refusals(schema: AnySchema, value: unknown): readonly string[] {
  const ajv = new Ajv({ allErrors: true, discriminator: true })
  ajv.validate(schema, value)
  return ajv.errors ? [ajv.errorsText(ajv.errors)] : []
}

const one = (value: string) => ({ const: value })
const whole = { type: 'integer', minimum: 1 }
const text = { type: 'string', minLength: 1 }
const functionName = { type: 'string', pattern: '^[a-zA-Z0-9_-]{1,64}$' }

function object(required: Record<string, unknown>, optional: Record<string, unknown> = {}) {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }
}

/** The schema of the parameters of a function: an object whose fields have types and descriptions. */
const parameters = {
  type: 'object',
  required: ['type', 'properties'],
  properties: {
    type: one('object'),
    properties: {
      type: 'object',
      minProperties: 1,
      additionalProperties: { type: 'object', required: ['type'], not: { required: ['$ref'] } },
    },
  },
}

const size = { display_width_px: whole, display_height_px: whole }
const members = [
  'cursor_position',
  'double_click',
  'hold_key',
  'key',
  'left_click',
  'left_click_drag',
  'left_mouse_down',
  'left_mouse_up',
  'middle_click',
  'mouse_move',
  'right_click',
  'screenshot',
  'scroll',
  'triple_click',
  'type',
  'wait',
  'zoom',
]
const config = object({}, { enabled: { type: 'boolean' }, defer_loading: { type: 'boolean' } })
const configs = object({}, Object.fromEntries(members.map(name => [name, config])))

/** Tools of Anthropic's Messages API, after its reference. */
export const anthropicRequest = object({
  tools: {
    type: 'array',
    minItems: 1,
    items: {
      oneOf: [
        object({ type: one('computer_toolset_20260801') }, { configs }),
        object(
          { type: one('computer_20251124'), name: one('computer'), ...size },
          { enable_zoom: { type: 'boolean' } },
        ),
        object({ type: one('computer_20250124'), name: one('computer'), ...size }),
        object({ type: one('bash_20250124'), name: one('bash') }),
        object({ type: one('text_editor_20250728'), name: one('str_replace_based_edit_tool') }),
        object({ name: functionName, description: text, input_schema: parameters }),
      ],
    },
  },
  betas: { type: 'array', items: { enum: ['computer-use-2025-01-24', 'computer-use-2025-11-24'] } },
})

/** Tools of OpenAI's Responses API, after its reference. */
export const openaiRequest = object({
  tools: {
    type: 'array',
    minItems: 1,
    items: {
      oneOf: [
        object({ type: one('computer') }),
        object({
          type: one('computer_use_preview'),
          display_width: whole,
          display_height: whole,
          environment: { enum: ['windows', 'mac', 'linux', 'ubuntu', 'browser'] },
        }),
        object(
          { type: one('function'), name: functionName, parameters, strict: { type: 'boolean' } },
          { description: text },
        ),
      ],
    },
  },
})
