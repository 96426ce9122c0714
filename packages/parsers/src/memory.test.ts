import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from './index.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heapAfter(work: () => void): number {
  work()
  collectGarbage()
  return process.memoryUsage().heapUsed
}

test('memoised words do not keep their text in memory', () => {
  const length = 1_000_000
  const texts: Readonly<Record<string, (round: number) => string>> = {
    verbs: round => `Action: click_softly_${round}_times(start_box='(1,2)')\n${'x'.repeat(length)}`,
    keys: round => `Action: hotkey(key='ctrl shift alt f${round}')\n${'x'.repeat(length)}`,
    tools: round =>
      `{"name": "computer_use_${round}", "arguments": {"action": "left_click_${round}"}}${'x'.repeat(length)}`,
  }
  for (const [what, text] of Object.entries(texts)) {
    const type = what === 'tools' ? 'qwen-3-vl' : 'ui-tars'
    const read = (from: number) => () => {
      for (let round = from; round < from + 60; round++) parse(type, 'computer', text(round))
    }
    const before = heapAfter(read(0))
    const grown = heapAfter(read(60)) - before
    assert.ok(grown < 10 * length, `${what}: ${grown} bytes more are in use after 60 texts`)
  }
})
