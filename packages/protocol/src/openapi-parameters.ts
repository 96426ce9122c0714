import { z } from 'zod'
import { type Json, schemaOf } from './openapi-schema.ts'
import type { Operation } from './operation.ts'
import { placeholders } from './placeholders.ts'

/** The parameters of an operation: those of its path, its query and its headers. */
export function parametersOf(operation: Operation, components: Record<string, Json>): Json[] {
  return [
    ...pathParameters(operation),
    ...queryParameters(operation, components),
    ...headerParameters(operation),
  ]
}

function pathParameters({ path }: Operation): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...(name !== undefined && placeholders[name] && { description: placeholders[name] }),
    schema: { type: 'string' },
  }))
}

function queryParameters({ query, examples }: Operation, components: Record<string, Json>): Json[] {
  if (!query) return []
  const { properties = {}, required = [] } = QuerySchema.parse(schemaOf(query, 'input', components))
  const example = ExampleQuery.parse(examples?.[0]?.query ?? {})
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
    ...(example[name] !== undefined && { example: example[name] }),
  }))
}

const QuerySchema = z.object({
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
  required: z.array(z.string()).optional(),
})
const ExampleQuery = z.record(z.string(), z.unknown())

function headerParameters({ creates }: Operation): Json[] {
  if (!creates) return []
  const description =
    'Repeating a request with the same key within 24 hours returns the same response and creates nothing new.'
  const schema = { type: 'string', minLength: 1, maxLength: 255 }
  return [{ name: 'Idempotency-Key', in: 'header', required: false, description, schema }]
}
