import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parserTypes } from './index.ts'
import { trace } from './parse.ts'
import { nasty, repeated } from './testing/nasty.ts'

/**
 * Work is what readers report: the length of every span they went over, and of every attempt to read a
 * call, an object or a literal, whether it came to something or not. A literal is tried again from within
 * at most as often as nesting is allowed, which bounds the work on each character.
 */
const maxPerCharacter = 24

for (const { type } of parserTypes) {
  test(`${type}: work grows with the length of the text, whatever it is`, () => {
    for (const piece of nasty) {
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

test('a million brackets overflow no stack', () => {
  for (const piece of ['[', '{', '(', '{"a":', 'a(', '<think>']) {
    for (const { type } of parserTypes) trace(type, 'mobile', repeated(piece, 100_000, 'Action: a('))
  }
})
