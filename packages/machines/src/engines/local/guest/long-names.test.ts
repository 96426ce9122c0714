import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Machine } from '../../../contract/machine.ts'
import type { LocalEngine } from '../local-engine.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'

let fixture: TestEngine
let engine: LocalEngine
let machine: Machine
before(async () => {
  fixture = await testEngine()
  engine = fixture.open()
  machine = await engine.open(await engine.create(testSpec()))
})
after(async () => {
  await engine?.close()
  await fixture?.dispose()
})

test('a folder with very long names is listed completely, on shorter pages', async () => {
  // Each byte of these targets has six characters in the answer of the agent.
  const script = `
import os
os.mkdir('/tmp/long')
for i in range(200): os.symlink(b'\\xff' * 4000, '/tmp/long/%03d' % i)
`
  const made = await machine.exec({ executable: 'python3', args: ['-c', script] })
  assert.equal((await made.exited).code, 0)
  const names: string[] = []
  let pages = 0
  let after: string | undefined
  do {
    const page = await machine.files.list('/tmp/long', { ...(after !== undefined && { after }) })
    names.push(...page.entries.map(({ name }) => name))
    after = page.next
    pages++
  } while (after !== undefined)
  assert.deepEqual(
    names,
    Array.from({ length: 200 }, (_, i) => String(i).padStart(3, '0')),
  )
  assert.ok(pages > 1, 'one page would have been longer than the service reads')
})

test('an error about a path of any length is reported', async () => {
  await assert.rejects(machine.files.stat(`/${'x'.repeat(500_000)}`), { code: 'INVALID' })
})
