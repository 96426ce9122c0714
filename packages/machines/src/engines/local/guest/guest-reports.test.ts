import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GuestReport, GuestReports } from './guest-reports.ts'

function reportsOf(...chunks: readonly string[]): GuestReport[] {
  const received: GuestReport[] = []
  const reports = new GuestReports(report => received.push(report))
  for (const chunk of chunks) reports.receive(Buffer.from(chunk))
  return received
}

test('reports are read line by line, wherever they are split', () => {
  const [restarted, ending] = reportsOf('{"restar', 'ted": "panel", "code": 1}\n{"end', 'ing": true}\n')
  assert.deepEqual(ending, { kind: 'ending' })
  assert.ok(restarted?.kind === 'restarted')
  assert.equal(restarted.restart.component, 'panel')
  assert.equal(restarted.restart.reason, 'The panel ended with code 1 and was started again.')
})

test('anything else that a guest sends is dropped', () => {
  const lines = [
    '',
    'x',
    '[]',
    'null',
    '{"restarted": 7}',
    '{"restarted": "<script>"}',
    `"${'y'.repeat(5000)}"`,
  ]
  assert.deepEqual(reportsOf(`${lines.join('\n')}\n`, 'z'.repeat(100_000)), [])
  assert.deepEqual(reportsOf(`${'z'.repeat(100_000)}\n{"ending": true}\n`), [{ kind: 'ending' }])
})

test('only the first of a flood of restarts is reported', () => {
  assert.equal(reportsOf('{"restarted": "panel"}\n'.repeat(1000)).length, 1)
})
