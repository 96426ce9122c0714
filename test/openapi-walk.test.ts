import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { near } from './support/openapi/arbitrary.ts'
import { type JsonSchema, type OpenApiOperation, PublishedDocument } from './support/openapi/document.ts'
import { paperEngines } from './support/paper-engine.ts'

/** Selects other input. A failure prints the seed that it happened with. */
const seed = Number(process.env['FUZZ_SEED'] ?? 1)
/** How many requests with arbitrary input each operation gets. */
const requests = Number(process.env['FUZZ_REQUESTS'] ?? 25)

// Far more requests than a person would make.
const service = await startTestService(
  { SANDGLASS_RATE_LIMIT: '10000000', SANDGLASS_FAILURE_LIMIT: '10000000' },
  async () => paperEngines(),
)
const document = new PublishedDocument((await service.get('/openapi.json', { key: null })).body)
const operations = Object.entries(document.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
      isOperators: path.startsWith('/api/operator/'),
      hasOrg: path.includes('{orgId}'),
    })),
  )
  // The operator's key is another one after it.
  .sort((a, b) => Number(isRotation(a.operation)) - Number(isRotation(b.operation)))

function isRotation({ operationId }: { readonly operationId: string }): boolean {
  return operationId === 'rotateOperatorKey'
}

/** Fills the placeholders of a path: with something that exists, or with the given id. */
function fill(path: string, orgId: string, id = 'absent', existing: Record<string, string> = {}): string {
  return path
    .replace('{orgId}', orgId)
    .replaceAll(/\{(\w+)\}/g, (_hole, name: string) => encodeURIComponent(existing[name] ?? id))
}

/** Creates one of everything that a path can name. */
async function makeExisting(): Promise<Record<string, string>> {
  const make = async (path: string, body: unknown) => (await service.post(path, body)).body
  const sandbox = await make('~/sandboxes', { shapeName: 'linux-desktop' })
  const inside = `~/sandboxes/${sandbox.id}`
  await make(`${inside}/mappings`, { targetEndpoint: '127.0.0.1:3000' })
  return {
    sandboxId: sandbox.id,
    targetEndpoint: '127.0.0.1:3000',
    invitationId: (await make(`${inside}/live/invitations`, {})).id,
    projectId: (await make('~/projects', { name: 'fuzzed' })).id,
    mcpServerId: (await make('~/mcp-servers', { name: 'fuzzed', sandboxShape: '' })).id,
    keyId: (await make('~/api-keys', { name: 'fuzzed' })).id,
    tokenId: (await make('~/trial-tokens', { shapeNames: ['linux-desktop'] })).id,
    type: 'seed',
  }
}

test('the document lists operations', () => {
  assert.ok(operations.length >= 20)
})

for (const { method, path, isOperators, hasOrg, operation } of operations) {
  const name = operation.operationId

  const isPublic = operation.security?.length === 0
  test(`${name} without a credential is ${isPublic ? 'accepted' : '401'}`, async () => {
    const { status, body } = await service.call(method, fill(path, service.orgId), { key: null })
    const accepted = operation.requestBody ? [400, 'request.INVALID'] : [200, undefined]
    assert.deepEqual([status, body.code], isPublic ? accepted : [401, 'auth.MISSING'])
  })

  if (hasOrg)
    test(`${name} with another organization's credential is 404`, async () => {
      const other = await service.otherOrganization()
      for (const orgId of [service.orgId, 'absent']) {
        const request = { key: other.apiKey, ...(method !== 'GET' && { body: '{broken' }) }
        const { status, body } = await service.call(method, fill(path, orgId), request)
        assert.deepEqual([status, body.code], [404, 'organization.NOT_FOUND'])
      }
    })

  if (isOperators)
    test(`${name} is limited to the operator`, async () => {
      const { status, body } = await service.call(method, fill(path, service.orgId))
      assert.deepEqual([status, body.code], [403, 'auth.OPERATOR_ONLY'])
    })

  test(`${name} responds to arbitrary input in time, without a 5xx, and as the document says`, async () => {
    const { apiKey, operatorKey } = service.service.credentials
    const key = isOperators ? operatorKey : apiKey
    const existing = await makeExisting()
    const schema = operation.requestBody?.content['application/json']?.schema
    const input = fc.record({
      id: arbitraryId,
      names: fc.oneof(
        { weight: 4, arbitrary: fc.constant(existing) },
        { weight: 1, arbitrary: fc.constant({}) },
      ),
      body: arbitraryBody(schema),
      query: arbitraryQuery(operation),
      headers: arbitraryHeaders,
    })
    const run = async ({
      id,
      names,
      body,
      query,
      headers,
    }: typeof input extends fc.Arbitrary<infer T> ? T : never) => {
      const target = `${fill(path, service.orgId, id, names)}?${query}`
      const answer = await service.call(method, target, {
        key,
        headers,
        ...(method !== 'GET' && body !== undefined && { body }),
      })
      const sent = `${method} ${target} ${body}: ${answer.status} ${answer.text.slice(0, 500)}`
      // A machine on paper has no screen, which cannot be reached therefore.
      const isReached = answer.body?.code !== 'sandbox.UNREACHABLE'
      assert.ok(answer.status < 500 || !isReached, sent)
      document.assertDeclared(operation, answer)
    }
    await fc.assert(fc.asyncProperty(input, run), { seed, numRuns: requests, endOnFailure: true })
  })
}

test('the document allows what the service accepts of createSandbox, and no more', () => {
  const schema =
    document.paths['/api/orgs/{orgId}/sandboxes']?.['post']?.requestBody?.content['application/json']?.schema
  assert.ok(schema)
  assert.ok(!document.allows(schema, {}))
  for (const body of [{ shapeName: 'x' }, { shape: 'x' }, { shape: 'x', shapeName: 'x', name: 'n' }])
    assert.ok(document.allows(schema, body))
})

test('dates that the database does not know are refused', async () => {
  for (const day of ['0000-02-29', '0000-01-01']) {
    const { status, body } = await service.get(`~/usage?from=${day}&to=${day}`)
    assert.deepEqual([status, body.code], [400, 'request.INVALID'])
    const at = encodeURIComponent(`${day}T00:00:00Z`)
    assert.ok((await service.get(`~/audit-log?since=${at}&until=${at}`)).status < 500)
  }
  assert.equal((await service.get('~/usage?from=0001-01-01&to=9999-12-31')).status, 200)
})

test('requests that break off or cannot be read are declared by every operation', () => {
  for (const { operation, method } of operations) {
    for (const status of [400, 403, 408, 429, 431, 500, 503])
      assert.ok(operation.responses[status], operation.operationId)
    if (operation.requestBody?.content['application/json'] || (method !== 'GET' && !operation.requestBody))
      assert.ok(operation.responses[415] && operation.responses[413], operation.operationId)
  }
})

const arbitraryId = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter(id => id !== '.' && id !== '..'),
  fc.constantFrom(
    'a\u0000b',
    '../..',
    "' OR 1=1 --",
    'x'.repeat(900),
    '00000000-0000-0000-0000-000000000000',
  ),
)

const arbitraryHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { 'idempotency-key': 'again' },
      { 'idempotency-key': 'k'.repeat(300) },
      { 'content-type': 'text/xml' },
      { 'content-type': 'application/json; charset=utf-16' },
      { range: 'bytes=5-1', 'if-none-match': '"x"', 'last-event-id': '-1' },
      { authorization: 'Basic x' },
    ),
  },
)

/** The parameters of the operation, close to their schemas, or others. */
function arbitraryQuery({ parameters }: OpenApiOperation): fc.Arbitrary<string> {
  const own = parameters.filter(parameter => parameter.in === 'query')
  const fields = Object.fromEntries(
    own.map(({ name, schema }) => [
      name,
      near(document, schema).map(value => (typeof value === 'string' ? value : JSON.stringify(value))),
    ]),
  )
  const others = fc.dictionary(fc.string({ maxLength: 10 }), fc.string({ unit: 'binary' }), { maxKeys: 2 })
  return fc
    .tuple(fc.record(fields, { requiredKeys: [] }), fc.oneof(fc.constant({}), others))
    .map(([given, more]) => {
      const query = new URLSearchParams()
      for (const [name, value] of Object.entries({ ...given, ...more })) query.set(name, String(value))
      return query.toString()
    })
}

/** Bodies close to the schema, bodies that are nothing like it, and none. */
function arbitraryBody(schema: JsonSchema | undefined): fc.Arbitrary<string | undefined> {
  const close = schema ? near(document, schema).map(body => JSON.stringify(body)) : fc.constant(undefined)
  return fc.oneof(
    { weight: 8, arbitrary: close },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
    { weight: 1, arbitrary: fc.constant(undefined) },
  )
}
