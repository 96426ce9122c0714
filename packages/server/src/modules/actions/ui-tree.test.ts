import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ActionResult, type UiElement } from '@sandglass/protocol'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { TestPhone } from '../../testing/test-phone.ts'

let phone: TestPhone
before(async () => {
  phone = await TestPhone.start()
})

const asked = { includeUiTree: true }

test('the elements of a phone are returned with the picture, and they are accurate', async () => {
  await phone.do({ type: 'android:home' })
  const start = { type: 'os:startApp', packageName: 'com.sandglass.settings' }
  const { uiTree, screenShot } = ActionResult.parse(await phone.do(start, asked))
  assert.ok(uiTree && screenShot)
  const one = (id: string): UiElement =>
    uiTree.find(element => element.id === `com.sandglass.settings:id/${id}`) ?? assert.fail(id)
  const wifi = one('wifi_on')
  assert.deepEqual([wifi.role, wifi.states, wifi.actions], ['switch', ['checked'], ['click']])
  assert.deepEqual(one('bluetooth_on').states, [])
  assert.equal(one('screen_brightness').role, 'slider')
  assert.ok(uiTree.some(({ role, text }) => role === 'text' && text === 'Dark theme'))
  for (const { bounds } of uiTree) {
    assert.ok(bounds.x >= 0 && bounds.x + bounds.width <= 720, JSON.stringify(bounds))
    assert.ok(bounds.width > 0 && bounds.height > 0)
  }
  await phone.tap('bluetooth_on')
  assert.equal((await phone.shell('settings get global bluetooth_on')).trim(), '1')
})

test('elements report typed text and focus', async () => {
  await phone.openNote()
  const { uiTree } = await phone.do({ type: 'keyboard:type', content: 'a < b & "c" 🙂' }, asked)
  const title = uiTree.find(({ id }: UiElement) => id?.endsWith('note-title'))
  assert.equal(title.text, 'a < b & "c" 🙂')
  assert.deepEqual(
    [title.role, title.states, title.actions],
    ['edit', ['focused'], ['click', 'longPress', 'type']],
  )
})

test('a batch and a preview return elements too, but only on request', async () => {
  const { body } = await phone.service.post(`~/sandboxes/${phone.id}/actions/batch`, {
    actions: [{ type: 'android:home' }, { type: 'wait', duration: 1 }],
    ...asked,
  })
  assert.ok(body.uiTree.some(({ name }: UiElement) => name === 'Notes'))
  const look = await phone.service.post(`~/sandboxes/${phone.id}/preview`, asked)
  assert.ok(look.body.uiTree.length > 0)
  assert.equal('uiTree' in (await phone.do({ type: 'screenshot' })), false)
})

test('a machine without accessible elements reports that, and still performs actions', async () => {
  const id = await makeSandbox(phone.service)
  const { status, body } = await phone.service.post(`~/sandboxes/${id}/preview`, asked)
  assert.deepEqual([status, body.uiTree], [200, null])
  assert.match(body.uiTreeError, /no session bus/)
  assert.ok(body.screenShot)
})
