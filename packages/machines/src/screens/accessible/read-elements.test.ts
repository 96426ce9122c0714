import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TestDesktop } from '../../actions/test-desktop.ts'
import { parseElements } from './read-elements.ts'

let desktop: TestDesktop
before(async () => {
  desktop = await TestDesktop.start()
})
after(() => desktop?.close())

const tree = async () => (await desktop.machine.screen.uiTree?.()) ?? assert.fail('there is no tree')

test('a desktop without a session bus reports that it exposes no UI elements', () =>
  assert.rejects(tree(), { code: 'STATE', message: /no session bus/ }))

test('the elements of windows have roles, texts, bounds and states', async () => {
  await desktop.shell('dbus-daemon --session --address=$DBUS_SESSION_BUS_ADDRESS --fork --nopidfile')
  await desktop.shell('printf "Grüße 漢字 🙂" > /tmp/note.txt')
  await desktop.open('l3afpad /tmp/note.txt', 'l3afpad')
  await desktop.until(async () => (await tree()).some(({ role }) => role === 'edit'))
  const elements = await tree()
  const edit = elements.find(({ role }) => role === 'edit')
  assert.deepEqual([edit?.text, edit?.states, edit?.actions], ['Grüße 漢字 🙂', ['focused'], ['type']])
  const file = elements.find(({ name }) => name === 'File') ?? assert.fail('there is no menu')
  assert.deepEqual([file.role, file.actions], ['menu', ['click']])
  assert.equal(
    elements.some(({ name }) => name === 'Save As...'),
    false,
  )

  const { x, y, width, height } = file.bounds
  const px = (value: number) => ({ type: 'px', value: Math.floor(value) }) as const
  await desktop.perform({ type: 'mouse:click', x: px(x + width / 2), y: px(y + height / 2), button: 1 })
  await desktop.until(async () =>
    (await tree()).some(({ role, name }) => role === 'menuitem' && name === 'Save'),
  )
  await desktop.press('Escape')
})

test('a program that hangs is skipped', async () => {
  await desktop.shell('kill -STOP $(pgrep -x l3afpad)')
  try {
    assert.equal(
      (await tree()).some(({ role }) => role === 'edit'),
      false,
    )
  } finally {
    await desktop.shell('kill -CONT $(pgrep -x l3afpad)')
  }
  await desktop.until(async () => (await tree()).some(({ role }) => role === 'edit'))
})

test('a malformed list of elements is refused', () => {
  for (const printed of ['', '{}', '[1]', '[{"role": "button"}]', '['.repeat(100_000)])
    assert.throws(() => parseElements(printed), { code: 'MACHINE_FAILED' })
})
