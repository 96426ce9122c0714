import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyOf, pressesOf } from './keys.ts'

test('the names that models use for keys become xdotool names', () => {
  const names = {
    enter: 'Return',
    ENTER: 'Return',
    esc: 'Escape',
    cmd: 'super',
    Control: 'ctrl',
    ctrlright: 'Control_R',
    PageDown: 'Page_Down',
    page_up: 'Page_Up',
    ArrowLeft: 'Left',
    'arrow down': 'Down',
    f12: 'F12',
    num5: 'KP_5',
    KP_Enter: 'KP_Enter',
    volumeup: 'XF86AudioRaiseVolume',
    KEYCODE_DEL: 'BackSpace',
    KEYCODE_FORWARD_DEL: 'Delete',
    KEYCODE_DPAD_UP: 'Up',
    camera: 'XF86WebCam',
    XF86Calculator: 'XF86Calculator',
    '-': 'minus',
    ' ': 'space',
    é: 'é',
  }
  for (const [name, keysym] of Object.entries(names)) assert.equal(keyOf(name), keysym, name)
})

test('unknown keys are rejected', () => {
  for (const name of ['', 'nonsense', 'press me', 'a+b', 'x'.repeat(100)])
    assert.equal(keyOf(name), undefined, name)
})

test('keys can be a list or a string separated by plus signs or spaces', () => {
  assert.deepEqual(pressesOf('ctrl + shift + t', 'chord'), ['ctrl+shift+t'])
  assert.deepEqual(pressesOf('ctrl c', 'chord'), ['ctrl+c'])
  assert.deepEqual(pressesOf(['CTRL', 'L'], 'chord'), ['ctrl+l'])
  assert.deepEqual(pressesOf('ctrl-alt-delete', 'chord'), ['ctrl+alt+Delete'])
  assert.deepEqual(pressesOf('ctrl + page down', 'chord'), ['ctrl+Page_Down'])
  assert.deepEqual(pressesOf('A', 'chord'), ['A'])
})

test('a plus sign with nothing beside it is the plus key', () => {
  assert.deepEqual(pressesOf('ctrl++', 'chord'), ['ctrl+plus'])
  assert.deepEqual(pressesOf('ctrl +', 'chord'), ['ctrl+plus'])
  assert.deepEqual(pressesOf('+', 'chord'), ['plus'])
})

test('a sign at the end of a chord is a key', () => {
  assert.deepEqual(pressesOf('ctrl -', 'chord'), ['ctrl+minus'])
  assert.deepEqual(pressesOf('ctrl+-', 'chord'), ['ctrl+minus'])
  assert.deepEqual(pressesOf('ctrl--', 'chord'), ['ctrl+minus'])
  assert.equal(pressesOf('ctrl-', 'chord'), undefined)
})

test('a list written as a string is read as a list', () => {
  assert.deepEqual(pressesOf("['ctrl', 'c']", 'chord'), ['ctrl+c'])
  assert.deepEqual(pressesOf('["ctrl", "c"]', 'sequence'), ['ctrl+c'])
  assert.deepEqual(pressesOf(["keys=['ctrl'", "'c']"], 'chord'), ['ctrl+c'])
  assert.deepEqual(pressesOf(['ctrl', '['], 'chord'), ['ctrl+bracketleft'])
  assert.deepEqual(pressesOf(['ctrl', "'"], 'chord'), ['ctrl+apostrophe'])
})

test('keys that cannot be a chord are pressed in turn', () => {
  assert.deepEqual(pressesOf('down+down', 'chord'), ['Down', 'Down'])
  assert.deepEqual(pressesOf(['down', 'down', 'enter'], 'chord'), ['Down', 'Down', 'Return'])
  assert.deepEqual(pressesOf('Tab Tab ctrl+a', 'sequence'), ['Tab', 'Tab', 'ctrl+a'])
})
