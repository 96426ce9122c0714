import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const guest = join(import.meta.dirname, '../../guest')
const seed = process.env['SEED'] ?? String(Math.floor(Math.random() * 1e9))

test(`both sides in Python survive whatever the other sends (SEED=${seed})`, {
  timeout: 600_000,
}, async () => {
  const program = join(import.meta.dirname, 'testing/fuzz.py')
  const { stdout, stderr } = await promisify(execFile)('python3', ['-SB', program, guest, seed, '2000'])
  assert.equal(stderr, '', 'no exception reached the loop')
  const { reasons, kilobytes } = JSON.parse(stdout)
  assert.ok(kilobytes < 100_000, `${kilobytes}`)
  const documented =
    /^(the other side (closed the connection|has started over)|a frame (was cut off|of [A-Z]|of type \d+ )|[A-Z]+ (for stream|is for stream|which was not expected|PONG)|a second ACCEPT|[A-Z]+, which was not expected)/
  for (const reason of Object.keys(reasons)) assert.match(reason, documented)
  assert.ok(Object.keys(reasons).length > 5, 'mutations are noticed')
})
