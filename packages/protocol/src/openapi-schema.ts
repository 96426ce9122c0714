import { z } from 'zod'

export type Json = Record<string, unknown>

/**
 * Converts a schema to JSON Schema and moves its named parts into the components. Request schemas get names of their
 * own, because defaults make their fields optional.
 */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Record<string, Json>): Json {
  const { $schema: _, $defs = {}, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  const rename = (name: string) => (io === 'output' || name.endsWith('Request') ? name : `${name}Request`)
  const lifted = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (key, inner) =>
      key === '$ref' && typeof inner === 'string'
        ? inner.replace(/^#\/\$defs\/(.+)$/, (_ref, name: string) => `#/components/schemas/${rename(name)}`)
        : inner,
    )
  for (const [name, definition] of Object.entries($defs)) {
    const { $schema: _inner, id: _id, ...body } = definition
    components[rename(name)] = lifted(body) as Json
  }
  const { id, ...inline } = rest as Json
  return lifted(typeof id === 'string' ? inline : rest) as Json
}
