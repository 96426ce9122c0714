import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parserTypes } from './index.ts'
import { trace } from './parse.ts'
import { pathological, repeated } from './testing/pathological.ts'

/**
 * Work is what readers report: the length of every span that they read, and of every attempt to read a call, an object
 * or a literal, successful or not. A literal is retried from within at most as often as nesting is allowed, which
 * limits the work per character.
 */
const maxPerCharacter = 24

for (const { type } of parserTypes) {
  test(`${type}: work is proportional to the length of any text`, () => {
    for (const piece of pathological) {
      for (const head of ['', 'Thought: x\nAction: ', '<tool_call>']) {
        const text = repeated(piece, 4000, head)
        const { work } = trace(type, 'computer', text).reading
        assert.ok(
          work <= maxPerCharacter * text.length,
          `${JSON.stringify(head + piece)}: ${work / text.length}`,
        )
      }
    }
  })
}

test('deep nesting does not overflow the stack', () => {
  for (const piece of ['[', '{', '(', '{"a":', 'a(', '<think>']) {
    for (const { type } of parserTypes) trace(type, 'mobile', repeated(piece, 100_000, 'Action: a('))
  }
})
