import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseLostError } from '../../db/lost-connection.ts'
import { saveFailure } from './saving.ts'

test('a disk that could not be saved because the database was away is reported as a matter of time', () => {
  const { status, code, message } = saveFailure(new DatabaseLostError('connect ECONNREFUSED'))
  assert.equal(status, 503)
  assert.equal(code, 'service.UNAVAILABLE')
  assert.match(message, /^The database cannot be reached\. The disk was not saved\. Retry after/)
})

test('a disk that could not be saved for another reason is reported as a failure, and blames no database', () => {
  const broken = Object.assign(new Error('read EPIPE'), { code: 'EPIPE' })
  for (const cause of [new Error('the file system is damaged'), broken]) {
    const { status, code } = saveFailure(cause)
    assert.equal(status, 500)
    assert.equal(code, 'machine.FAILED')
  }
})
