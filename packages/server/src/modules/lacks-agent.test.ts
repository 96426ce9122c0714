import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { failureOf } from './actions/failures.ts'
import { fileError } from './files/failures.ts'
import { refusalOf } from './processes/start-process.ts'

test('a call that needs an agent in the guest is refused with 409 and the explanation of the machine', () => {
  const error = new MachineError('LACKS_AGENT', 'The system in this machine has no agent.')
  for (const convert of [fileError, refusalOf, failureOf]) {
    const refusal = convert(error)
    assert.ok(refusal instanceof ApiError)
    assert.deepEqual(
      [refusal.code, refusal.status, refusal.problem],
      ['sandbox.LACKS_AGENT', 409, 'The system in this machine has no agent.'],
    )
  }
})
