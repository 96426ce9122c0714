import type { JsonSchema, Reference } from './reference-data.ts'

/** The name of the shared schema that this one refers to, and the schema itself. */
export function resolve(
  schema: JsonSchema,
  schemas: Reference['schemas'],
): { name?: string; schema: JsonSchema } {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  if (name === undefined) return { schema }
  const { $ref: _, ...own } = schema
  return { name: name.replace(/Request$/, ''), schema: { ...schemas[name], ...own } }
}

/** The alternatives of a schema that is one of several. */
export function alternativesOf({ anyOf, oneOf }: JsonSchema): readonly JsonSchema[] {
  const parts = anyOf ?? oneOf ?? []
  // Parts that only say which fields are required describe the object itself.
  return parts.every(({ required, properties }) => required && !properties) ? [] : parts
}

/** What can be written for a schema, in a few words: `string`, `integer 1–100`, `"a" or "b"`, `list of Sandbox`. */
export function typeOf(raw: JsonSchema, schemas: Reference['schemas']): string {
  const { name, schema } = resolve(raw, schemas)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' or ')
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return name ?? alternativesText(alternatives, schemas)
  if (schema.allOf?.length === 1 && schema.allOf[0]) return typeOf(schema.allOf[0], schemas)
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'anything')
  if (type === 'array') return `list of ${schema.items ? typeOf(schema.items, schemas) : 'anything'}`
  if (type === 'object') {
    const values = schema.additionalProperties
    return typeof values === 'object' && !schema.properties
      ? `object of ${typeOf(values, schemas)}`
      : (name ?? 'object')
  }
  if (name === 'Time') return 'time'
  return [type, schema.format === 'uri' ? 'URL' : schema.format, boundsOf(schema)].filter(Boolean).join(' ')
}

function alternativesText(alternatives: readonly JsonSchema[], schemas: Reference['schemas']): string {
  const texts = [...new Set(alternatives.map(each => typeOf(each, schemas)))]
  return texts.length > 4 ? 'one of several' : texts.join(' or ')
}

/** JavaScript's largest whole numbers say nothing. */
const isTold = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

function boundsOf({ minimum, maximum, minLength, maxLength }: JsonSchema): string {
  if (isTold(minimum) && isTold(maximum)) return `${minimum}–${maximum}`
  if (isTold(minimum)) return `≥ ${minimum}`
  if (isTold(maximum)) return `≤ ${maximum}`
  if (maxLength !== undefined) return `of ${minLength ?? 0}–${maxLength} characters`
  return ''
}
