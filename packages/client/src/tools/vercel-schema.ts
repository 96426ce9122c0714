/**
 * A JSON Schema in the form that the AI SDK accepts without being asked to convert it: its own, and the Standard Schema that its types
 * know. The tool itself checks its input, so that the model is told what to fix.
 */
export interface VercelSchema {
  readonly jsonSchema: Record<string, unknown>
  readonly validate: undefined
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'sandglass'
    validate(value: unknown): { readonly value: unknown }
    readonly jsonSchema: {
      input(): Record<string, unknown>
      output(): Record<string, unknown>
    }
  }
}

/** The SDK recognises its own schemas by this. */
const mark = Symbol.for('vercel.ai.schema')

export function vercelSchema(jsonSchema: Record<string, unknown>): VercelSchema {
  const schema: VercelSchema = {
    jsonSchema,
    validate: undefined,
    '~standard': {
      version: 1,
      vendor: 'sandglass',
      validate: value => ({ value }),
      jsonSchema: { input: () => jsonSchema, output: () => jsonSchema },
    },
  }
  return Object.assign(schema, { [mark]: true })
}
