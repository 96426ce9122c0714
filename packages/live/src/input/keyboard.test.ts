import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Keyboard, type KeyInput } from './keyboard.ts'
import { keysymOf } from './keysyms.ts'

const [control, alt] = [0xffe3, 0xffe9]

/** A keyboard and the keysyms that it presses; negative ones are released. */
function keyboard(isMac: boolean) {
  const pressed: number[] = []
  const keys = { key: (keysym: number, isDown: boolean) => pressed.push(isDown ? keysym : -keysym) }
  return { keyboard: new Keyboard(keys, isMac), pressed }
}

const stroke = (key: string, more: Partial<KeyInput> = {}): KeyInput => ({
  key,
  code: `Key${key}`,
  location: 0,
  altKey: false,
  metaKey: false,
  ctrlKey: false,
  isComposing: false,
  keyCode: 0,
  timeStamp: 0,
  ...more,
})

test('Command on a Mac is sent as Control, and no key stays down after it', () => {
  const { keyboard: mac, pressed } = keyboard(true)
  mac.down(stroke('Meta', { metaKey: true, code: 'MetaLeft' }))
  mac.down(stroke('c', { metaKey: true }))
  // A Mac reports the release of Command, but never that of the other key.
  mac.up(stroke('Meta', { code: 'MetaLeft' }))
  assert.deepEqual(pressed, [control, 0x63, -0x63, -control])
})

test('Option on a Mac selects characters, and is sent as Alt with other keys', () => {
  const { keyboard: mac, pressed } = keyboard(true)
  mac.down(stroke('Alt', { altKey: true }))
  mac.down(stroke('@', { altKey: true }))
  mac.down(stroke('ArrowLeft', { altKey: true }))
  assert.deepEqual(pressed, [0x40, -0x40, alt, 0xff51, -0xff51, -alt])
})

test('on other systems Meta and Alt are sent unchanged', () => {
  const { keyboard: other, pressed } = keyboard(false)
  for (const key of ['Meta', 'Alt']) {
    other.down(stroke(key))
    other.up(stroke(key))
  }
  assert.deepEqual(pressed, [0xffeb, -0xffeb, alt, -alt])
})

test('a key whose release was missed is released once it maps to another keysym', () => {
  const { keyboard: any, pressed } = keyboard(false)
  any.down(stroke('a', { code: 'KeyA' }))
  any.down(stroke('A', { code: 'KeyA' }))
  any.up(stroke('A', { code: 'KeyA' }))
  any.up(stroke('A', { code: 'KeyA' }))
  assert.deepEqual(pressed, [0x61, -0x61, 0x41, -0x41])
})

test('lock keys are not sent, because the characters already reflect them', () => {
  const { keyboard: any, pressed } = keyboard(false)
  assert.equal(any.down(stroke('CapsLock')), true)
  assert.equal(any.down(stroke('A')), true)
  assert.deepEqual(pressed, [0x41])
})

const names: [string, number, number | undefined][] = [
  ['F1', 0, 0xffbe],
  ['F24', 0, 0xffd5],
  ['Delete', 0, 0xffff],
  ['Delete', 3, 0xff9f],
  ['Enter', 3, 0xff8d],
  ['+', 3, 0xffab],
  ['+', 0, 0x2b],
  ['Shift', 2, 0xffe2],
  ['€', 0, 0x10020ac],
  ['𝄞', 0, 0x101d11e],
  ['Nonsense', 0, undefined],
  ['', 0, undefined],
]
for (const [key, location, keysym] of names)
  test(`the keysym of ${JSON.stringify(key)} at ${location} is ${keysym?.toString(16)}`, () =>
    assert.equal(keysymOf({ key, code: '', location }), keysym))
