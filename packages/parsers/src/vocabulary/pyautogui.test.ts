import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from '../parse.ts'

const px = (value: number) => ({ type: 'px', value })
const actionsOf = (text: string) => parse('pyautogui', 'computer', text).actions

test('an offset of None, or one that is left out, is zero', () => {
  const down = [{ type: 'mouse:move', x: px(0), y: px(10), relative: true }]
  for (const text of ['move(None, 10)', 'moveRel(None, 10)', 'move(yOffset=10)', 'move(0, 10)'])
    assert.deepEqual(actionsOf(`pyautogui.${text}`), down, text)
  assert.deepEqual(actionsOf('pyautogui.move(10, None)'), [
    { type: 'mouse:move', x: px(10), y: px(0), relative: true },
  ])
  for (const text of ['drag(None, 50)', 'dragRel(xOffset=None, yOffset=50, duration=1)'])
    assert.partialDeepStrictEqual(
      actionsOf(`pyautogui.${text}`),
      [{ type: 'mouse:drag', endX: px(0), endY: px(50), startRelative: true, endRelative: true, button: 1 }],
      text,
    )
})

test('a movement without any offset, and an absolute one without a coordinate, are returned as unknown text', () => {
  for (const text of ['move(None, None)', 'drag()', 'moveTo(None, 10)', 'dragTo(10, None)'])
    assert.deepEqual(parse('pyautogui', 'computer', `pyautogui.${text}`), {
      actions: [],
      unknown: `pyautogui.${text}`,
    })
})
