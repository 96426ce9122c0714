import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as protocol from '@sandglass/protocol'
import { type Operation, openapi } from '@sandglass/protocol'
import { Validator } from '@seriousme/openapi-schema-validator'

test('the document of every operation is valid OpenAPI 3.1', async () => {
  const operations = Object.values<unknown>(protocol).filter(
    (value): value is Operation =>
      typeof value === 'object' && value !== null && 'access' in value && 'path' in value,
  )
  const validator = new Validator()
  const { valid, errors } = await validator.validate(
    structuredClone(openapi(operations, '1.0.0', 'http://localhost')),
  )
  assert.ok(valid, JSON.stringify(errors, null, 2))
  assert.equal(validator.version, '3.1')
})
