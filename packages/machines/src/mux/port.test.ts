import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const guest = join(import.meta.dirname, '../../guest')

test('a port whose other end is closed for a while costs nothing then, and works again', {
  timeout: 300_000,
}, async () => {
  const program = join(import.meta.dirname, 'testing/port.py')
  const { stdout, stderr } = await promisify(execFile)('python3', ['-SB', program, guest])
  assert.equal(stderr, '')
  const rounds = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  assert.equal(rounds.length, 3)
  for (const { reason, same, woken } of rounds) {
    assert.equal(reason, 'done')
    assert.ok(same)
    assert.ok(woken < 100, `woken ${woken} times while the other end was closed`)
  }
})
