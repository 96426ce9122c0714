import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { cannotRun, spawnConfined } from './spawn-confined.ts'

async function run(program: string, ...args: string[]): Promise<{ code: number; lines: string[] }> {
  const child = spawnConfined(program, args)
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { code, lines: printed.trim().split('\n') }
}

test('a confined program is an unprivileged user without capabilities, privilege escalation or network', async () => {
  const script =
    'id -u; sed -n "s/^\\(CapEff\\|NoNewPrivs\\):\\s*//p" /proc/self/status; tail -n +3 /proc/net/dev | cut -d: -f1'
  const { code, lines } = await run('sh', '-c', script)
  assert.equal(code, 0)
  if (process.getuid?.() === 0)
    assert.deepEqual(
      lines.map(line => line.trim()),
      ['65534', '0000000000000000', '1', 'lo'],
    )
  else assert.equal(lines[0], String(process.getuid?.()))
})

test('a missing program is distinguished from one that fails', async () => {
  assert.equal(cannotRun((await run('sh', '-c', 'exit 1')).code), false)
  if (process.getuid?.() === 0) assert.equal(cannotRun((await run('/no/such/program')).code), true)
})
