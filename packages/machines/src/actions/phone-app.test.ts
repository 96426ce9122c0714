import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appByName } from './phone-app.ts'
import { androidKeysOf } from './phone-keys.ts'

const apps = [
  { packageName: 'com.a.calendar', label: 'Calendar' },
  { packageName: 'com.a.calculator', label: 'Calculator' },
  { packageName: 'com.a.notes', label: 'My Notes' },
  { packageName: 'com.a.uhr', label: 'Öffnungszeiten' },
]

test('an app is found by its label, a part of it, its package or a label with a typo, regardless of case', () => {
  const found = ['calendar', 'CALCULATOR', 'notes', 'my-notes', 'com.a.uhr', 'öffnung', 'Calendra'].map(
    name => appByName(name, apps).packageName,
  )
  assert.deepEqual(
    found.map(name => name.slice(6)),
    ['calendar', 'calculator', 'notes', 'notes', 'uhr', 'uhr', 'calendar'],
  )
})

test('a name that matches several apps or none is refused, and the error lists the candidates', () => {
  assert.throws(() => appByName('cal', apps), {
    code: 'INVALID',
    message: /"cal" names several apps: there are Calendar \(com\.a\.calendar\), Calculator/,
  })
  for (const name of ['camera', '', '!'])
    assert.throws(() => appByName(name, apps), {
      code: 'INVALID',
      message: /names no app: there are Calendar/,
    })
})

test('keys of the protocol, of phones and of Android become Android key codes', () => {
  assert.deepEqual(androidKeysOf('Return'), ['ENTER'])
  assert.deepEqual(androidKeysOf('ctrl+a'), ['CTRL_LEFT', 'A'])
  assert.deepEqual(androidKeysOf('A'), ['SHIFT_LEFT', 'A'])
  assert.deepEqual(androidKeysOf('home'), ['HOME'])
  assert.deepEqual(androidKeysOf('Home'), ['MOVE_HOME'])
  assert.deepEqual(androidKeysOf('KEYCODE_CAMERA'), ['CAMERA'])
  assert.deepEqual(androidKeysOf('XF86WebCam'), ['CAMERA'])
  assert.deepEqual(androidKeysOf('Clear'), ['CLEAR'])
  assert.deepEqual(androidKeysOf('+'), ['PLUS'])
  assert.throws(() => androidKeysOf('Scroll_Lock'), { code: 'INVALID', message: /no key "Scroll_Lock"/ })
  assert.throws(() => androidKeysOf('nonsense'), { code: 'INVALID' })
})
