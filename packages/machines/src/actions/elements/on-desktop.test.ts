import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ElementName } from '@sandglass/protocol'
import type { UiElement } from '../../contract/ui-tree.ts'
import { patienceMs } from '../../testing/wait-for.ts'
import { TestDesktop } from '../test-desktop.ts'

const text = 'Grüße 漢字 🙂\nsecond line'
let desktop: TestDesktop

before(async () => {
  desktop = await TestDesktop.start()
  await desktop.shell('dbus-daemon --session --address=$DBUS_SESSION_BUS_ADDRESS --fork --nopidfile')
  await desktop.shell('touch /tmp/note.txt')
  await desktop.open('l3afpad /tmp/note.txt', 'l3afpad')
})
after(() => desktop?.close())

const tree = async () => (await desktop.machine.screen.uiTree?.()) ?? assert.fail('there is no tree')

/** The only element of this role and name, as soon as it is in the tree. */
async function told(role: string, name: string): Promise<UiElement> {
  let found: UiElement | undefined
  await desktop.until(async () => {
    found = (await tree()).find(element => element.role === role && element.name === name)
    return found !== undefined
  })
  return found ?? assert.fail()
}

const click = (element: ElementName) => desktop.perform({ type: 'os:clickElement', element })
const write = (element: ElementName, text: string) =>
  desktop.perform({ type: 'os:setElementText', element, text })

/** Describes a field without its text, because that changes. */
const field = async (): Promise<ElementName> => {
  const { path, role, name } = await told('edit', '')
  return { path, role, name }
}

test('a menu is opened, one of its entries is chosen by name, and the program obeys', async () => {
  await write(await field(), text)
  assert.equal((await told('edit', '')).text, text)
  await click(await told('menu', 'File'))
  await click(await told('menuitem', 'Save'))
  await desktop.until(async () => (await desktop.shell('cat /tmp/note.txt')) === text)
})

test('the text of a field is replaced, also with an empty one', async () => {
  await write(await field(), 'x')
  await write(await field(), '')
  assert.equal((await told('edit', '')).text, '')
})

test('an element that differs from its description is not touched, and the error says what is there', async () => {
  const file = await told('menu', 'File')
  const refused = (element: ElementName, message: RegExp) =>
    assert.rejects(click(element), { code: 'MISMATCH', message })
  await refused({ ...file, name: 'Fyle' }, /menu "File" is now, and not menu "Fyle"/)
  await refused({ ...file, path: `${file.path}/999` }, /nothing is shown now.*One like that is at/)
  await refused({ role: 'menu', name: 'File', id: 'nobody' }, /is not shown now/)
  await assert.rejects(write(file, 'x'), { code: 'MISMATCH', message: /takes no text/ })
  await assert.rejects(write(await field(), 'a\0'), { code: 'INVALID', message: /U\+0000/ })
})

test('a disabled entry is refused', async () => {
  await click(await told('menu', 'Edit'))
  await assert.rejects(click(await told('menuitem', 'Undo')), { code: 'MISMATCH', message: /is disabled/ })
  await desktop.press('Escape')
  await desktop.until(async () => !(await tree()).some(({ name }) => name === 'Undo'))
})

test('a field is scrolled', async () => {
  const lines = Array.from({ length: 300 }, (_, number) => `line ${number}`).join('\n')
  const element = await field()
  await write(element, lines)
  await desktop.press('ctrl+Home')
  const { screen } = desktop.machine
  await screen.settled({ quietMs: 100, maxMs: patienceMs })
  await screen.look()
  await desktop.perform({ type: 'os:scrollElement', element, direction: 'down', steps: 5 })
  await desktop.until(async () => (await screen.look()).changed.length > 0)
})

test('an element under another window is refused, and clicked when that window is gone', async () => {
  const file = await told('menu', 'File')
  await desktop.open('xterm -geometry 200x80+0+0', 'XTerm')
  await assert.rejects(click(file), { code: 'MISMATCH', message: /is above menu "File" now/ })
  await desktop.shell('pkill -x xterm')
  await desktop.until(async () =>
    click(file).then(
      () => true,
      () => false,
    ),
  )
  await told('menuitem', 'Save')
  await desktop.press('Escape')
})

test('an element under another window of the same program is refused', async () => {
  const { path, role, name } = await told('edit', '')
  const active = () => desktop.shell('xdotool getactivewindow')
  const before = await active()
  await desktop.press('ctrl+f')
  await desktop.until(async () => (await tree()).some(element => element.role === 'dialog'))
  await desktop.until(async () => (await active()) !== before)
  await assert.rejects(write({ path, role, name }, 'x'), { code: 'MISMATCH', message: /is above edit/ })
})
