import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from '../parse.ts'

test('a drag without an end is returned as unknown text', () => {
  for (const call of [
    "drag(start_box='(1,2)')",
    "drag(start_box='(1,2)'",
    "left_drag(start_point='(1,2)')",
  ]) {
    const text = `Thought: Over there.\nAction: ${call}`
    assert.deepEqual(parse('ui-tars', 'computer', text), {
      actions: [],
      thoughts: 'Over there.',
      unknown: call,
    })
  }
})

test('a drag with a single point that is not named as a start begins at the pointer', () => {
  const { actions } = parse('ui-tars', 'computer', "Action: drag(point='(1,2)')")
  assert.equal(actions.length, 1)
  assert.partialDeepStrictEqual(actions[0], { type: 'mouse:drag', startRelative: true })
})
