import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MachineError } from '@sandglass/machines/contract'
import { LinkClosed, UnfitResult } from '@sandglass/rpc'
import { machineErrors } from './errors.ts'

const cross = (error: unknown) => machineErrors.revive(machineErrors.describe(error))

test('an error of a machine keeps its code and its message', () => {
  const error = cross(new MachineError('NO_SPACE', 'the disk is full'))
  assert.ok(error instanceof MachineError)
  assert.deepEqual([error.code, error.message], ['NO_SPACE', 'the disk is full'])
})

test('an abort stays an abort', () => {
  assert.equal(cross(AbortSignal.abort().reason).name, 'AbortError')
})

test('another error is a fault with its message, and a long message is cut', () => {
  for (const thrown of [new TypeError('x is not a function'), 'x is not a function']) {
    const error = cross(thrown)
    assert.equal(error.constructor, Error)
    assert.equal(error.message, 'x is not a function')
  }
  assert.equal(cross(new Error('x'.repeat(10_000))).message.length, 4096)
})

test('an error with a code that does not exist is a fault', () => {
  const error = machineErrors.revive({ kind: 'machine', code: 'constructor', message: 'no' })
  assert.equal(error.constructor, Error)
})

test('an answer of a machine that cannot be passed on is a malformed one', () => {
  const error = cross(new UnfitResult('a result of 9 GB'))
  assert.ok(error instanceof MachineError)
  assert.equal(error.code, 'STATE')
})

test('a worker that ended makes its machines unreachable', () => {
  const error = machineErrors.closed?.(new LinkClosed('the other process ended'))
  assert.ok(error instanceof MachineError)
  assert.equal(error.code, 'UNREACHABLE')
})
