import * as protocol from '@sandglass/protocol'
import { errors, errorsOf, eventTypes, type Operation, openapi, placeholders } from '@sandglass/protocol'
import { z } from 'zod'
import type {
  JsonSchema,
  OperationDetails,
  OperationEntry,
  Parameter,
  Reference,
} from '../../apps/dashboard/src/docs/reference-data.ts'
import { commandExamples } from './commands.ts'

const operations = Object.values<unknown>(protocol).filter(
  (value): value is Operation =>
    typeof value === 'object' && value !== null && 'access' in value && 'path' in value,
)

/** The entries of all operations, grouped by tag: first what people need first. */
export function operationEntries(): OperationEntry[] {
  const tags = [...new Set(operations.map(({ tag }) => tag))].sort(
    (a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b),
  )
  return tags.flatMap(tag =>
    operations
      .filter(operation => operation.tag === tag)
      .sort((a, b) => a.path.localeCompare(b.path) || a.method.localeCompare(b.method))
      .map(entryOf),
  )
}

const order = [
  'Sandboxes',
  'Actions',
  'Inside the machine',
  'Live view',
  'HTTP mappings',
  'Browsers',
  'Shapes',
]

function rankOf(tag: string): number {
  if (tag === 'Operator') return order.length + 1
  const index = order.indexOf(tag)
  return index < 0 ? order.length : index
}

function entryOf(operation: Operation): OperationEntry {
  const { id, publishedId, tag, method, path, summary, deprecated } = operation
  return {
    id,
    ...(publishedId !== undefined && { publishedId }),
    tag,
    method,
    path,
    summary,
    ...(deprecated && { isDeprecated: true }),
    errors: operation.errors ?? [],
  }
}

/** The details of all operations, and what they refer to. Most is taken from the OpenAPI document, which says the same. */
export async function makeReference(): Promise<Reference> {
  const { paths, components } = Document.parse(openapi(operations, '', ''))
  const examplesOf = await commandExamples()
  const details = operations.map((operation): [string, OperationDetails] => {
    const described = paths[operation.path]?.[operation.method.toLowerCase()]
    if (!described) throw new Error(`${operation.id} is not in the document.`)
    return [operation.id, { ...detailsOf(operation, described), commands: examplesOf(operation.id) }]
  })
  return {
    operations: Object.fromEntries(details),
    schemas: components.schemas,
    errors,
    events: Object.fromEntries(
      Object.entries(eventTypes).map(([type, { about, subject, role, example }]) => [
        type,
        { about, subject, role, example },
      ]),
    ),
    placeholders,
  }
}

type Described = z.infer<typeof Document>['paths'][string][string]

function detailsOf(operation: Operation, described: Described): Omit<OperationDetails, 'commands'> {
  const { access, deprecated, addition, body, accepts, answers, response, examples = [] } = operation
  const schema = described.requestBody?.content['application/json']?.schema
  const isFollowed = typeof answers === 'object'
  return {
    access,
    ...(deprecated && { deprecated }),
    isAddition: addition === true,
    parameters: described.parameters,
    ...(body && { body: { kind: 'json', ...(schema && { schema }) } }),
    ...(accepts && { body: { kind: accepts } }),
    answers:
      typeof answers === 'string'
        ? answers
        : isFollowed && !response
          ? 'events'
          : response
            ? 'json'
            : 'empty',
    isFollowed,
    responses: Object.entries(described.responses)
      .filter(([status]) => Number(status) < 400)
      .map(([status, { description, content = {} }]) => ({
        status,
        description,
        contents: Object.entries(content).map(([type, { schema: own }]) => ({
          type,
          ...(own && { schema: own }),
        })),
      })),
    errors: errorsOf(operation),
    examples,
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
const Schema = z.custom<JsonSchema>(isObject)
const Contents = z.record(z.string(), z.object({ schema: Schema.optional() }))
const Document = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        parameters: z.array(z.custom<Parameter>(isObject)),
        requestBody: z.object({ content: Contents }).optional(),
        responses: z.record(z.string(), z.object({ description: z.string(), content: Contents.optional() })),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), Schema) }),
})
