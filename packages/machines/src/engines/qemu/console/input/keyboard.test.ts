import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keysymsOf } from '../../../../actions/keys.ts'
import { Keyboard } from './keyboard.ts'
import { pixelAt, tabletPosition } from './tablet-axis.ts'
import { usLayout } from './us-layout.ts'

const us = new Keyboard(usLayout)

test('a layout has keys for characters with Shift, with AltGr and with both', () => {
  const german = new Keyboard({
    name: 'de',
    keys: [
      ['q', 'qQ@Ω'],
      ['minus', 'ß?\\'],
    ],
  })
  const strokes = german.strokesOf('qQ@Ω\\', 'Enter')
  assert.deepEqual(
    strokes.map(({ qcode, modifiers }) => [qcode, ...modifiers].join(' ')),
    ['q', 'q shift', 'q alt_r', 'q shift alt_r', 'minus alt_r'],
  )
})

test('the keyboard of the United States types all of ASCII, tabs and line breaks', () => {
  const ascii = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i))
  const strokes = us.strokesOf(ascii.join(''), 'Enter').map(stroke => JSON.stringify(stroke))
  assert.equal(new Set(strokes).size, 95)
  const others = us
    .strokesOf('\t\r\n\n', 'Shift+Enter')
    .map(({ qcode, modifiers }) => [qcode, ...modifiers].join(' '))
  assert.deepEqual(others, ['tab', 'ret shift', 'ret shift'])
})

test('a character that is not on the keyboard is named, with its position', () => {
  assert.throws(() => us.strokesOf('a😀', 'Enter'), {
    code: 'INVALID',
    message: /^"😀" \(U\+1F600\) at 1 is not on/,
  })
})

test('keys that people name are on the keyboard', () => {
  const names = 'ctrl+alt+Delete+super+Menu+Page_Up+KP_5+F12+Caps_Lock+Print+A+!+altgr'
  const qcodes = keysymsOf(names).map(keysym => us.strokeOf(keysym).qcode)
  const expected = 'ctrl alt delete meta_l compose pgup kp_5 f12 caps_lock print a 1 alt_r'
  assert.equal(qcodes.join(' '), expected)
  assert.throws(() => us.strokeOf(0x1008ff14), {
    code: 'INVALID',
    message: /no key for XF86AudioPlay|no key for keysym/,
  })
})

test('guests find the pixel again, with whichever formula they scale', () => {
  const formulas = [
    (position: number, size: number) => Math.floor((position * size) / 0x8000),
    (position: number, size: number) => Math.floor((position * size) / 0x7fff),
    (position: number, size: number) => Math.round((position * (size - 1)) / 0x7fff),
  ]
  for (const size of [1, 480, 640, 800, 1080, 1280, 1920, 3840])
    for (let pixel = 0; pixel < size; pixel++) {
      const position = tabletPosition(pixel, size)
      for (const formula of formulas) assert.equal(formula(position, size), pixel)
      assert.equal(pixelAt(position, size), pixel)
    }
  assert.deepEqual(
    [tabletPosition(-5, 640), tabletPosition(9999, 640)],
    [tabletPosition(0, 640), tabletPosition(639, 640)],
  )
})
