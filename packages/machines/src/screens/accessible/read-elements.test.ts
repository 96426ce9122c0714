import assert from 'node:assert/strict'
import { Readable, Writable } from 'node:stream'
import { after, before, test } from 'node:test'
import { TestDesktop } from '../../actions/test-desktop.ts'
import type { UiElement } from '../../contract/ui-tree.ts'
import { queryAtSpi } from './query-atspi.ts'
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
  // A program that is slow to answer is left out, so this is the list that has it.
  let elements: readonly UiElement[] = []
  await desktop.until(async () => {
    elements = await tree()
    return elements.some(({ role }) => role === 'edit') && elements.some(({ name }) => name === 'File')
  })
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

test('a malformed list of elements is refused', async () => {
  const lists = [
    '{}',
    '{}\n',
    '[1]\n',
    '{"role": "button"}\n',
    '\n',
    '['.repeat(100_000),
    `${'[],'.repeat(1e6)}\n`,
  ]
  for (const printed of lists) await assert.rejects(parseElements(printed), { code: 'MACHINE_FAILED' })
})

test('a list of too many elements, or of one that is too long, is refused', async () => {
  const element = (name: string) =>
    `${JSON.stringify({
      role: 'button',
      name,
      text: '',
      bounds: { x: 0, y: 0, width: 1, height: 1 },
      states: [],
      actions: [],
      path: '1.0',
      depth: 0,
    })}\n`
  assert.equal((await parseElements(element('ok').repeat(5000))).length, 5000)
  for (const printed of [element('ok').repeat(5001), element('x'.repeat(300_000))])
    await assert.rejects(parseElements(printed), { code: 'MACHINE_FAILED' })
})

test('a machine that prints without an end, or never ends, fails the query', async () => {
  const endless = new Readable({
    read() {
      this.push(Buffer.alloc(64 * 1024, 65))
    },
  })
  const exec = async () => ({
    ...(await desktop.machine.exec({ executable: 'true' })),
    stdin: new Writable({ write: (_chunk, _encoding, done) => done() }),
    stdout: endless,
    stderr: Readable.from([]),
    exited: new Promise<never>(() => {}),
  })
  await assert.rejects(queryAtSpi(exec, ''), { code: 'MACHINE_FAILED', message: /longer than 4194304 bytes/ })
  assert.ok(endless.destroyed)
})
