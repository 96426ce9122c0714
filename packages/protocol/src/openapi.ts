import { type ErrorCode, errors } from './errors.ts'
import { parametersOf } from './openapi-parameters.ts'
import { type Json, schemaOf } from './openapi-schema.ts'
import type { Access, Operation } from './operation.ts'

const everyOperation: readonly ErrorCode[] = [
  'request.MALFORMED',
  'request.HOST_NOT_ALLOWED',
  'request.TIMEOUT',
  'request.HEADERS_TOO_LARGE',
  'rate.LIMITED',
  'service.INTERNAL',
  'service.UNAVAILABLE',
]

/** Of every operation that requires a credential. */
const everyCredential: readonly ErrorCode[] = [
  'auth.MISSING',
  'auth.AMBIGUOUS',
  'auth.INVALID',
  'session.ENDED',
  'session.FOREIGN_PAGE',
  'rate.TOO_MANY_FAILURES',
]

const byAccess: Readonly<Record<Access['to'], readonly ErrorCode[]>> = {
  organization: [...everyCredential, 'auth.FORBIDDEN', 'organization.NOT_FOUND'],
  anyone: everyCredential,
  operator: [...everyCredential, 'auth.OPERATOR_ONLY'],
  public: [],
}

function trialErrors(access: Access): readonly ErrorCode[] {
  return access.to === 'organization' && !access.trial ? ['auth.NOT_FOR_TRIALS'] : []
}

/** All error codes that an operation can return, including the general ones of its access and body. */
export function errorsOf(operation: Operation): readonly ErrorCode[] {
  const hasInput = operation.body || operation.query || operation.creates || operation.path.includes('{')
  const input: ErrorCode[] = hasInput ? ['request.INVALID'] : []
  // A body is read even if the operation ignores it, unless the method is GET or the operation reads it as a stream.
  const body: ErrorCode[] =
    operation.method === 'GET' || operation.accepts
      ? []
      : ['request.MALFORMED_JSON', 'request.BODY_TOO_LARGE', 'request.UNSUPPORTED_MEDIA_TYPE']
  const upgrade: ErrorCode[] = operation.answers === 'socket' ? ['request.UPGRADE_REQUIRED'] : []
  const idempotency: ErrorCode[] = operation.creates
    ? ['idempotency.KEY_REUSED', 'idempotency.IN_PROGRESS']
    : []
  const all = [
    ...input,
    ...body,
    ...upgrade,
    ...byAccess[operation.access.to],
    ...trialErrors(operation.access),
    ...(operation.errors ?? []),
    ...idempotency,
    ...everyOperation,
  ]
  return [...new Set(all)]
}

/** Makes an OpenAPI 3.1 document of these operations. Schemas with an `id` become shared components. */
export function openapi(operations: readonly Operation[], version: string, serverUrl: string): Json {
  const components: Record<string, Json> = { Error: errorSchema }
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    paths[operation.path] ??= {}
    Object.assign(paths[operation.path] ?? {}, {
      [operation.method.toLowerCase()]: describe(operation, components),
    })
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sandglass',
      version,
      description: 'An open, self-hosted sandbox cloud for computer-use and mobile-use agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }, { bearer: [] }, { trialSession: [] }],
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
        trialSession: { type: 'apiKey', in: 'header', name: 'X-Trial-Session-Token' },
      },
    },
  }
}

const errorSchema: Json = {
  type: 'object',
  required: ['code', 'message'],
  properties: {
    code: { type: 'string', enum: Object.keys(errors) },
    message: { type: 'string', description: 'What is wrong and how to fix it.' },
    requestId: { type: 'string' },
    preparing: {
      type: 'string',
      description:
        'Only for machine.NOT_READY: what the service is preparing, such as an image that is being built. Retry until it is done.',
    },
    issues: {
      type: 'array',
      description: 'Only for request.INVALID: the fields that failed validation.',
      items: {
        type: 'object',
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

function describe(operation: Operation, components: Record<string, Json>): Json {
  const { body, deprecated } = operation
  return {
    operationId: operation.publishedId ?? operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.access.to === 'public' && { security: [] }),
    ...(deprecated && {
      deprecated: true,
      description: `Deprecated since ${deprecated.since}: use ${deprecated.successor}.`,
    }),
    parameters: parametersOf(operation, components),
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: {
          'application/json': { schema: schemaOf(body, 'input', components), ...examplesOf(operation) },
        },
      },
    }),
    ...streamedBody(operation),
    responses: { ...successResponses(operation, components), ...errorResponses(operation) },
  }
}

/** The examples of the body, by a name that OpenAPI wants them to have. */
function examplesOf({ examples = [] }: Operation): Json {
  const entries = examples.flatMap(({ title, body }, index) =>
    body === undefined ? [] : [[`example${index + 1}`, { ...(title && { summary: title }), value: body }]],
  )
  return entries.length > 0 ? { examples: Object.fromEntries(entries) } : {}
}

/** A request body that is not JSON. */
function streamedBody(operation: Operation): Json {
  const { accepts } = operation
  if (!accepts) return {}
  const content =
    accepts === 'bytes'
      ? { 'application/octet-stream': examplesOf(operation) }
      : { 'multipart/form-data': { schema: { type: 'object', additionalProperties: fileField } } }
  return { requestBody: { required: accepts === 'form', content } }
}

const fileField: Json = { type: 'string', contentMediaType: 'application/octet-stream' }

function successResponses(operation: Operation, components: Record<string, Json>): Record<string, Json> {
  const { response, answers, mediaType, status = 200 } = operation
  if (answers === 'bytes') {
    const content = { [mediaType ?? 'application/octet-stream']: {} }
    return {
      [status]: { description: 'The complete content.', content },
      ...(!mediaType && { 206: { description: 'The requested range.', content } }),
      304: { description: 'Not modified since If-None-Match or If-Modified-Since.' },
    }
  }
  if (answers === 'socket')
    return {
      101: {
        description: 'The connection is a WebSocket from now on. Errors are sent before that, as JSON.',
      },
    }
  const events = answers && {
    'text/event-stream': { schema: schemaOf(answers.events, 'output', components) },
  }
  if (events && !response)
    return {
      [status]: {
        description: 'Server-sent events. The data of each is JSON of this schema.',
        content: events,
      },
    }
  return {
    [status]: response
      ? {
          description: events
            ? 'Success. If Accept asks for text/event-stream, server-sent events whose data is JSON of that schema.'
            : 'Success.',
          content: { 'application/json': { schema: schemaOf(response, 'output', components) }, ...events },
        }
      : { description: 'Success, with an empty body.' },
  }
}

function errorResponses(operation: Operation): Record<string, Json> {
  const codesByStatus = Map.groupBy(errorsOf(operation), code => errors[code].status)
  return Object.fromEntries(
    [...codesByStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map(code => `\`${code}\`: ${errors[code].message}`).join('\n\n'),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}
