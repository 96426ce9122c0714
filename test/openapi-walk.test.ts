import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { startTestService } from '../packages/server/src/testing/test-service.ts'
import { paperEngines } from './support/paper-engine.ts'

interface OpenApiOperation {
  readonly operationId: string
  /** Empty if the operation is public. */
  readonly security?: readonly unknown[]
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: {
    readonly content: { readonly 'application/json'?: { readonly schema: JsonSchema } }
  }
}

interface JsonSchema {
  readonly type?: string
  readonly properties?: Record<string, JsonSchema>
  readonly enum?: readonly unknown[]
}

// Far more requests than a person would make.
const service = await startTestService(
  { SANDGLASS_RATE_LIMIT: '10000000', SANDGLASS_FAILURE_LIMIT: '10000000' },
  async () => paperEngines(),
)
const { body: document } = await service.get('/openapi.json', { key: null })
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, OpenApiOperation>).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
    isOperators: path.startsWith('/api/operator/'),
    hasOrg: path.includes('{orgId}'),
  })),
)

/** Fills the placeholders of a path. */
function fill(path: string, orgId: string, id = 'absent'): string {
  return path.replace('{orgId}', orgId).replaceAll(/\{\w+\}/g, encodeURIComponent(id))
}

test('the document lists operations', () => {
  assert.ok(operations.length >= 20)
})

for (const { method, path, isOperators, hasOrg, operation } of operations) {
  const name = operation.operationId

  const isPublic = operation.security?.length === 0
  test(`${name} without a credential is ${isPublic ? 'accepted' : '401'}`, async () => {
    const { status, body } = await service.call(method, fill(path, service.orgId), { key: null })
    assert.deepEqual([status, body.code], isPublic ? [400, 'request.INVALID'] : [401, 'auth.MISSING'])
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

  test(`${name} responds to arbitrary input in time and without a 5xx`, async () => {
    const { apiKey, operatorKey } = service.service.credentials
    const key = isOperators ? operatorKey : apiKey
    const schema = operation.requestBody?.content['application/json']?.schema
    await fc.assert(
      fc.asyncProperty(arbitraryId, arbitraryBody(schema), arbitraryQuery, async (id, body, query) => {
        const target = `${fill(path, service.orgId, id)}?${query}`
        const answer = await service.call(method, target, { key, ...(method !== 'GET' && { body }) })
        assert.ok(answer.status < 500, `${method} ${target} ${body}: ${answer.status} ${answer.text}`)
        if (answer.status >= 400) {
          assert.equal(typeof answer.body?.code, 'string', answer.text)
          assert.equal(typeof answer.body?.message, 'string', answer.text)
        }
      }),
      { numRuns: 100 },
    )
  })
}

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

const arbitraryQuery = fc.oneof(
  fc.constant(''),
  fc
    .record({
      limit: fc.oneof(fc.integer().map(String), fc.string()),
      cursor: fc.oneof(fc.bigInt().map(String), fc.string()),
      since: fc.oneof(
        fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
        fc.string(),
      ),
      operation: fc.string({ unit: 'binary' }),
    })
    .map(query => new URLSearchParams(query).toString()),
)

/** Bodies close to the schema, with each field valid, invalid or absent, and bodies that are nothing like it. */
function arbitraryBody(schema: JsonSchema | undefined): fc.Arbitrary<string> {
  const value = fc.oneof(fc.jsonValue({ noUnicodeString: false }), fc.string({ unit: 'binary' }))
  const fields = Object.fromEntries(
    Object.entries(schema?.properties ?? {}).map(([name, property]) => [
      name,
      fc.oneof(value, plausible(property)),
    ]),
  )
  const near = fc.record(fields, { requiredKeys: [] }).map(body => JSON.stringify(body))
  return fc.oneof(
    { weight: 6, arbitrary: near },
    { weight: 2, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.string() },
  )
}

function plausible({ type, enum: values }: JsonSchema): fc.Arbitrary<unknown> {
  if (values) return fc.constantFrom(...values)
  if (type === 'integer' || type === 'number')
    return fc.oneof(fc.integer({ min: -1, max: 100 }), fc.double(), fc.constantFrom(1e308, -1, 0, 2 ** 53))
  if (type === 'boolean') return fc.boolean()
  if (type === 'array') return fc.array(fc.oneof(fc.string(), fc.constant('linux-desktop')), { maxLength: 3 })
  return fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('linux-desktop', 'unlimited', 'member'))
}
