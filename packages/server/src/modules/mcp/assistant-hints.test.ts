import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as protocol from '@sandglass/protocol'
import { ApiError, type ErrorCode, errors } from '@sandglass/protocol'
import { messageForAssistant } from './assistant-hints.ts'

test('no message for an assistant names an operation, which it could not call', () => {
  const names = new Set(
    Object.entries<unknown>(protocol).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && 'access' in value ? [name] : [],
    ),
  )
  assert.ok(names.has('setSandboxControl'))
  for (const code of Object.keys(errors) as ErrorCode[]) {
    const message = messageForAssistant(new ApiError(code))
    const named = message.split(/\W+/).filter(word => names.has(word))
    assert.deepEqual(named, [], `${code}: ${message}`)
    assert.ok(message.startsWith(errors[code].message))
  }
})

test('an assistant gets the hints that it can follow', () => {
  assert.match(
    messageForAssistant(new ApiError('sandbox.TAKEN_OVER')),
    /hands control back, then try again\.$/,
  )
  assert.ok(messageForAssistant(new ApiError('file.NOT_FOUND')).endsWith(errors['file.NOT_FOUND'].hint))
})
