import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLog } from './log.ts'

test('a secret never appears in a log line, however deeply it is nested', () => {
  const lines: string[] = []
  const log = openLog('info', { write: line => void lines.push(line) })
  const secret = 'sgk_very-secret'
  log.info({ headers: { authorization: `Bearer ${secret}`, 'x-api-key': secret } }, 'headers')
  log.info({ request: { headers: { 'x-trial-session-token': secret, cookie: secret } } }, 'deeper')
  log.info(
    { apiKey: secret, answer: { ownerKey: { apiKey: secret } }, body: { trialToken: secret } },
    'bodies',
  )
  assert.equal(lines.length, 3)
  for (const line of lines) {
    assert.ok(!line.includes(secret), line)
    assert.ok(line.includes('[secret]'))
  }
})
