import assert from 'node:assert/strict'
import { test } from 'node:test'
import { saveFailure } from './saving.ts'

test('a disk that could not be saved because the database was away is reported as a matter of time', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const { status, code, message } = saveFailure(refused)
  assert.equal(status, 503)
  assert.equal(code, 'service.UNAVAILABLE')
  assert.match(message, /^The database cannot be reached\. The disk was not saved\. Retry after/)
})

test('a disk that could not be saved for another reason is reported as a failure', () => {
  const { status, code } = saveFailure(new Error('the file system is damaged'))
  assert.equal(status, 500)
  assert.equal(code, 'machine.FAILED')
})
