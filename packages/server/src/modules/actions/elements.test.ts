import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { UiElement } from '@sandglass/protocol'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { at, TestPhone } from '../../testing/test-phone.ts'

let phone: TestPhone
before(async () => {
  phone = await TestPhone.start()
})

const calculator = 'com.sandglass.calculator'

async function start(packageName: string): Promise<readonly UiElement[]> {
  await phone.do({ type: 'os:closeApp', packageName })
  return (await phone.do({ type: 'os:startApp', packageName }, { includeUiTree: true })).uiTree
}

const click = (element: object) => ({ type: 'os:clickElement', element })
const find = (tree: readonly UiElement[], wanted: string): UiElement =>
  tree.find(({ id, text, name }) => id?.endsWith(`:id/${wanted}`) || text === wanted || name === wanted) ??
  assert.fail(wanted)

test('elements of the tree are tapped in one batch', async () => {
  const tree = await start(calculator)
  const keys = ['7', '×', '6', '='].map(key => click(find(tree, key)))
  const { body } = await phone.batch(keys)
  assert.equal(body.failedIndex, undefined, JSON.stringify(body))
  const { uiTree } = await phone.do({ type: 'screenshot' }, { includeUiTree: true })
  assert.ok(uiTree.some(({ text }: UiElement) => text === '42'))
})

test('an element that has changed is a 409 that says what is there now, and nothing is tapped', async () => {
  const tree = await start(calculator)
  const seven = find(tree, '7')
  const { status, body } = await phone.act(click({ ...seven, text: '8' }))
  assert.deepEqual([status, body.code], [409, 'action.ELEMENT'])
  assert.match(body.message, /button "7".* is now, and not button "8".*One like that is at/)
  await phone.do({ type: 'android:home' })
  const gone = await phone.act(click(seven))
  assert.deepEqual([gone.status, gone.body.code], [409, 'action.ELEMENT'])
})

test('the text of a field is replaced, and only a field accepts text', async () => {
  await phone.openNote()
  const { uiTree } = await phone.do({ type: 'keyboard:type', content: 'old' }, { includeUiTree: true })
  const { role, name, id, path } = find(uiTree, 'note-text')
  const write = (element: object, text: string) => phone.act({ type: 'os:setElementText', element, text })
  const title = { ...find(uiTree, 'note-title'), text: undefined }
  for (const text of ['a < b & "c" 🙂', 'short'])
    assert.equal((await write({ role, name, id }, text)).status, 200)
  assert.equal((await write(title, 'Títle')).status, 200)
  await phone.do({ type: 'android:back' })
  await phone.do({ type: 'android:back' })
  assert.deepEqual(await phone.note().then(({ title, text }) => [title, text]), ['Títle', 'short'])
  const elsewhere = await write({ role, name, path }, 'x')
  assert.deepEqual([elsewhere.status, elsewhere.body.code], [409, 'action.ELEMENT'])
  const key = find(await start(calculator), '7')
  const refused = await write(key, 'x')
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, /takes no text now/)
})

test('a list is scrolled within itself', async () => {
  const tree = await start('com.sandglass.contacts')
  const list = tree.find(({ actions }) => actions.includes('scroll')) ?? assert.fail('nothing scrolls')
  const first = tree.find(({ path, text }) => path.startsWith(list.path) && text !== '') ?? assert.fail()
  const scroll = (direction: string) => ({
    type: 'os:scrollElement',
    element: list,
    direction,
    steps: 4,
  })
  const { uiTree } = await phone.do(scroll('down'), { includeUiTree: true })
  assert.ok(find(uiTree, first.text).bounds.y < first.bounds.y)
  const hidden = await phone.act(click(find(uiTree, first.text)))
  assert.deepEqual([hidden.status, hidden.body.code], [409, 'action.ELEMENT'])
  assert.match(hidden.body.message, /scroll to it first/)
  const { uiTree: back } = await phone.do(scroll('up'), { includeUiTree: true })
  assert.equal(find(back, first.text).bounds.y, first.bounds.y)
})

test('an invalid element reference is a 400', async () => {
  const element = { role: 'button', name: 'x', path: '0' }
  for (const action of [
    click({ role: 'button', name: 'x' }),
    click({ path: '0' }),
    click({ ...element, path: '' }),
    { type: 'os:setElementText', element },
    { type: 'os:setElementText', element, text: 'a\0' },
    { type: 'os:scrollElement', element, direction: 'in' },
    { type: 'os:scrollElement', element, direction: 'up', steps: 0 },
    { type: 'os:clickElement', ...at(1, 1) },
  ])
    assert.equal((await phone.act(action)).status, 400, JSON.stringify(action))
})

test('a desktop without accessible elements refuses, and so does the deprecated operation', async () => {
  const id = await makeSandbox(phone.service)
  const action = click({ role: 'button', name: 'x', path: '1.0' })
  const { status, body } = await phone.service.post(`~/sandboxes/${id}/actions/execute`, { action })
  assert.deepEqual([status, body.code], [400, 'action.INVALID'])
  assert.match(body.message, /no session bus/)
  const old = await phone.service.post(`~/sandboxes/${id}/actions/computer-use`, { action })
  assert.deepEqual([old.status, old.body.code], [400, 'action.UNFIT'])
})
