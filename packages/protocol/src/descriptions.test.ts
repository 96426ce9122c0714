import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import * as protocol from './index.ts'
import { type Operation, openapi } from './index.ts'

const operations = Object.values<unknown>(protocol).filter(
  (value): value is Operation =>
    typeof value === 'object' && value !== null && 'access' in value && 'path' in value,
)

interface Schema {
  readonly $ref?: string | undefined
  readonly description?: string | undefined
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>> | undefined
  readonly items?: Schema | undefined
  readonly additionalProperties?: Schema | boolean | undefined
  readonly anyOf?: readonly Schema[] | undefined
  readonly oneOf?: readonly Schema[] | undefined
  readonly allOf?: readonly Schema[] | undefined
}

const Schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    description: z.string().optional(),
    const: z.unknown().optional(),
    properties: z.record(z.string(), Schema).optional(),
    items: Schema.optional(),
    additionalProperties: z.union([z.boolean(), Schema]).optional(),
    anyOf: z.array(Schema).optional(),
    oneOf: z.array(Schema).optional(),
    allOf: z.array(Schema).optional(),
  }),
)
const Content = z.record(z.string(), z.object({ schema: Schema.optional() }))
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        summary: z.string(),
        parameters: z.array(z.object({ name: z.string(), description: z.string().optional() })),
        requestBody: z.object({ content: Content }).optional(),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
})

const { paths, components } = Document.parse(openapi(operations, '1.0.0', 'http://localhost'))
const described = Object.values(paths).flatMap(methods => Object.values(methods))

function componentOf({ $ref }: Schema): [name: string, schema: Schema] | undefined {
  const name = $ref?.replace('#/components/schemas/', '')
  const schema = name === undefined ? undefined : components.schemas[name]
  return name !== undefined && schema ? [name, schema] : undefined
}

/** The fields in a schema, however deep, that nothing describes. A constant, which tells alternatives apart, describes itself. */
function undescribed(schema: Schema, at: string, seen: Set<string>): string[] {
  const [name, component] = componentOf(schema) ?? []
  if (name !== undefined && component) {
    if (seen.has(name)) return []
    seen.add(name)
    return undescribed(component, name, seen)
  }
  const { properties = {}, items, additionalProperties: values, anyOf = [], oneOf = [], allOf = [] } = schema
  const inside = [...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])]
  if (typeof values === 'object') inside.push(values)
  return [
    ...Object.entries(properties).flatMap(([field, own]) => {
      const text = own.description ?? componentOf(own)?.[1].description
      const isMissing = !text && own.const === undefined
      return [...(isMissing ? [`${at}.${field}`] : []), ...undescribed(own, `${at}.${field}`, seen)]
    }),
    ...inside.flatMap(part => undescribed(part, at, seen)),
  ]
}

test('every parameter of every operation is described', () => {
  const missing = described.flatMap(({ operationId, parameters }) =>
    parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
  )
  assert.deepEqual(missing, [], 'add .describe(…) to the query, or an entry to placeholders.ts')
})

test('every field of every request body is described', () => {
  const seen = new Set<string>()
  const missing = described.flatMap(({ operationId, requestBody }) =>
    Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
      schema ? undescribed(schema, operationId, seen) : [],
    ),
  )
  assert.deepEqual(missing, [], 'add .describe(…) to the field')
})

test('what is described is described in sentences', () => {
  const texts = described.flatMap(({ summary, parameters }) => [
    summary,
    ...parameters.map(({ description = '' }) => description),
  ])
  for (const text of texts) assert.match(text, /[.…]$/)
})
