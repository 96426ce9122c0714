import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestedAction } from '@sandglass/protocol'
import { actionInWords } from './action-in-words.ts'

const px = { type: 'px', value: 5 }

const examples: [object, string][] = [
  [{ type: 'mouse:click', x: px, y: px, button: 1 }, 'Clicking'],
  [{ type: 'mouse:click', x: px, y: px, button: 2 }, 'Right-clicking'],
  [{ type: 'mouse:scroll', x: px, y: px, stepVertical: -3, stepHorizontal: 0 }, 'Scrolling up'],
  [{ type: 'keyboard:type', content: 'hunter2' }, 'Typing 7 characters'],
  [{ type: 'keyboard:hotkey', keys: 'ctrl+s' }, 'Pressing Ctrl+S'],
  [{ type: 'keyboard:hotkey', keys: 'Return' }, 'Pressing Return'],
  [{ type: 'keyboard:hotkey', keys: 'exclam' }, 'Pressing a key'],
  [{ type: 'keyboard:hotkey', keys: 'shift+q' }, 'Pressing a key'],
  [{ type: 'key:down', key: 'x' }, 'Holding a key'],
  [{ type: 'os:startAppByName', name: 'Notes' }, 'Opening Notes'],
  [
    { type: 'os:setElementText', element: { role: 'entry', name: '', id: 'a' }, text: 'é🐫' },
    'Typing 2 characters',
  ],
]

for (const [action, words] of examples)
  test(`viewers of a sandbox read "${words}" for ${JSON.stringify(action)}`, () => {
    assert.equal(actionInWords(RequestedAction.parse(action)), words)
  })
