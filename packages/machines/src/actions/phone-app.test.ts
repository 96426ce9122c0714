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

test('an app is found by its label, a part of it, its package or nearly so, whatever the case', () => {
  const found = ['calendar', 'CALCULATOR', 'notes', 'my-notes', 'com.a.uhr', 'öffnung', 'Calendra'].map(
    name => appByName(name, apps).packageName,
  )
  assert.deepEqual(
    found.map(name => name.slice(6)),
    ['calendar', 'calculator', 'notes', 'notes', 'uhr', 'uhr', 'calendar'],
  )
})

test('a name that means several apps, or none, is told with those that there are', () => {
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

test('keys of the contract, of phones and of Android become keys of Android', () => {
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
