import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { MobileAction } from '@sandglass/protocol'
import { at, px, TestPhone } from '../../testing/test-phone.ts'

let phone: TestPhone
before(async () => {
  phone = await TestPhone.start()
})
const bare = { includeScreenShot: false, includeCursorPosition: false }

/** The types of the actions that the tests below have performed. */
const done = new Set<string>()
interface TestAction {
  readonly type: string
  readonly [field: string]: unknown
}
const act = (action: TestAction, more: object = bare) => {
  done.add(action.type)
  return phone.do(action, more)
}

/** Returns the pixels of a band of the screen, to leave out the clock, which changes by itself. */
async function band(top: number, bottom: number): Promise<string> {
  const { screenShot } = await phone.do(
    { type: 'screenshot' },
    { screenShotFormat: 'png', includePointer: false },
  )
  const { width, data } = await phone.pixels(screenShot)
  return data.subarray(3 * width * top, 3 * width * bottom).toString('base64')
}

test('text in any script is typed exactly', async () => {
  await phone.openNote()
  const title = 'Grüße 漢字 🙂👩‍👩‍👧 עברית %s $HOME `x` \'"\\ é'
  await act({ type: 'keyboard:type', content: title })
  await phone.tap('note-text')
  const text = `first\nsecond\tthird ${'long '.repeat(3000)}`
  await act({ type: 'keyboard:type', content: text })
  assert.deepEqual(await phone.note(), { title, text })
})

test('a line break is part of the text, or presses Enter if requested', async () => {
  await phone.openNote()
  await act({ type: 'keyboard:type', content: 'title\nbody', treatNewLineAsEnter: true })
  await waitFor(async () => (await phone.note()).text === 'body')
  assert.equal((await phone.note()).title, 'title')
})

test('text is refused if nothing accepts it', async () => {
  await act({ type: 'android:home' })
  const { status, body } = await phone.act({ type: 'keyboard:type', content: 'lost' })
  assert.deepEqual([status, body.code], [400, 'action.INVALID'])
  assert.match(body.message, /Tap a text field/)
})

test('keys and key combinations edit the focused field', async () => {
  await phone.openNote()
  await phone.do({ type: 'keyboard:type', content: 'abc' })
  for (const keys of ['BackSpace', 'Left', 'x', 'Y', 'KEYCODE_1'])
    await act({ type: 'keyboard:hotkey', keys })
  await waitFor(async () => (await phone.note()).title === 'axY1b')
  for (const keys of ['ctrl+a', 'ctrl+x', 'Tab']) await act({ type: 'keyboard:hotkey', keys })
  await act({ type: 'keyboard:hotkey', keys: 'paste', duration: 5 })
  await waitFor(async () => (await phone.note()).text === 'axY1b')
  assert.equal((await phone.note()).title, '')
})

test('apps are listed, started and closed by package and by name', async () => {
  const { actionResult } = await act({ type: 'os:listApps' })
  const listed = actionResult.find(({ label }: { label: string }) => label === 'Notes')
  assert.deepEqual(listed, { label: 'Notes', packageName: 'com.sandglass.notes' })
  assert.equal(actionResult.length, 8)
  await act({ type: 'os:startApp', packageName: 'com.sandglass.clock' })
  await phone.untilInFront('com.sandglass.clock')
  await act({ type: 'os:startAppByName', name: 'CALCULATR' })
  await phone.untilInFront('com.sandglass.calculator')
  await act({ type: 'os:closeAppByName', name: 'calculator' })
  await phone.untilInFront('com.sandglass.launcher')
  await act({ type: 'os:closeApp', packageName: 'com.sandglass.clock' })
  assert.doesNotMatch(await phone.shell('dumpsys activity'), /clock/)
})

test('an unknown app is refused, and the error lists the installed apps', async () => {
  for (const verb of ['start', 'close']) {
    const byPackage = await phone.act({ type: `os:${verb}App`, packageName: "no.such'app" })
    assert.deepEqual([byPackage.status, byPackage.body.code], [400, 'action.INVALID'])
    assert.match(byPackage.body.message, /no app no\.such'app .*os:listApps/)
    const byName = await phone.act({ type: `os:${verb}AppByName`, name: 'telescope' })
    assert.equal(byName.status, 400)
    assert.match(byName.body.message, /"telescope" names no app: there are .*Notes \(com\.sandglass\.notes\)/)
    const byMany = await phone.act({ type: `os:${verb}AppByName`, name: 'c' })
    assert.match(byMany.body.message, /several apps: there are .*Calculator.*Clock/)
  }
})

test('a swipe turns the page of apps, and home turns it back', async () => {
  const settled = { ...bare, includeScreenShot: true, settle: { quietMs: 300, maxMs: 5000 } }
  const apps = () => band(360, 620)
  await act({ type: 'android:home' }, settled)
  const first = await apps()
  const swipe = { type: 'touch:swipe', ...at(600, 700), direction: 'left', distance: px(400) }
  await act(swipe, settled)
  await phone.find('Gallery')
  const second = await apps()
  assert.notEqual(second, first)
  // A swipe ends at the edge of the screen, no matter how long it should be.
  await act({ ...swipe, ...at(100, 700), direction: 'right', distance: px(99_999) }, settled)
  await waitFor(async () => (await apps()) === first)
  await act({ ...swipe, distance: { type: '/', numerator: 1, denominator: 2 } }, settled)
  await waitFor(async () => (await apps()) === second)
  await act({ type: 'android:home' }, settled)
  await waitFor(async () => (await apps()) === first)
})

test('a drag scrolls a list, and so does a wheel', async () => {
  await phone.do({ type: 'os:startApp', packageName: 'com.sandglass.contacts' })
  const first = (await phone.find('Ada Lovelace')).y
  await act({ type: 'touch:drag', startX: px(300), startY: px(900), endX: px(300), endY: px(700) })
  const scrolled = (await phone.find('Annie Easley')).y
  await phone.do({ type: 'mouse:scroll', ...at(300, 600), stepVertical: -3, stepHorizontal: 0 })
  assert.equal((await phone.find('Ada Lovelace')).y, first)
  assert.ok(scrolled < (await phone.find('Annie Easley')).y)
  await phone.do({ type: 'mouse:scroll', ...at(300, 900), stepVertical: 2, stepHorizontal: 0 })
  assert.ok((await phone.find('Ada Lovelace')).y < first)
})

test('a long press is held, and a double tap taps twice', async () => {
  await phone.openNote()
  await phone.do({ type: 'keyboard:type', content: 'word' })
  const { x, y } = await phone.find('note-title')
  await act({ type: 'touch:longPress', ...at(x, y), duration: 700 })
  await phone.do({ type: 'mobile:doubleTap', ...at(70, y) })
  // A double tap selects a word.
  await phone.do({ type: 'keyboard:type', content: 'x' })
  await waitFor(async () => (await phone.note()).title === 'x')
})

test('back closes the keyboard, then a page, then the app', async () => {
  await phone.openNote()
  const isKeyboardShown = async () => /mInputShown=true/.test(await phone.shell('dumpsys input_method'))
  await waitFor(isKeyboardShown)
  await act({ type: 'android:back' })
  assert.equal(await isKeyboardShown(), false)
  await act({ type: 'android:back' })
  await phone.find('New note')
  await act({ type: 'android:back' })
  await phone.untilInFront('com.sandglass.launcher')
})

test('mouse actions are performed by touch', async () => {
  await act({ type: 'android:home' })
  const { x, y } = await phone.find('Settings')
  const { cursorPosition } = await phone.do({ type: 'mouse:click', ...at(x, y), button: 1 })
  assert.deepEqual(cursorPosition, { x, y, screenWidth: 720, screenHeight: 1280, screenIndex: 0 })
  await phone.untilInFront('com.sandglass.settings')
  const bounds = await phone.find('screen_brightness')
  await phone.do({
    type: 'mouse:drag',
    button: 1,
    startX: px(bounds.x),
    startY: px(bounds.y),
    endX: px(300),
    endY: px(0),
    endRelative: true,
  })
  await waitFor(async () => Number(await phone.shell('settings get system screen_brightness')) > 200)
  await phone.do({ type: 'mouse:doubleClick', ...at(100, 400), button: 1 })
})

test('action names of another client have the same effect', async () => {
  await phone.openNote()
  const named: object[] = [
    { type: 'mobile:tap', ...at(300, 190) },
    { type: 'mobile:type', content: 'alias' },
    { type: 'mobile:hotkey', key: 'BackSpace' },
    { type: 'mobile:wait', duration: 1 },
    { type: 'mobile:screenshot' },
    { type: 'mobile:finished' },
    { type: 'mobile:failed' },
  ]
  for (const action of named) await phone.do(action, bare)
  await waitFor(async () => (await phone.note()).title === 'alia')
  await phone.do({ type: 'mobile:back' })
  await phone.do({ type: 'mobile:home' })
  await phone.untilInFront('com.sandglass.launcher')
  await phone.do({ type: 'mobile:swipe', startX: px(600), startY: px(700), endX: px(100), endY: px(700) })
  await phone.find('Gallery')
})

test('a batch stops at the first action that fails', async () => {
  const { status, body } = await phone.batch([
    { type: 'os:listApps', callId: 'apps' },
    { type: 'os:startApp', packageName: 'com.sandglass.files' },
    { type: 'touch:tap', ...at(720, 5) },
    { type: 'android:home' },
  ])
  assert.equal(status, 200)
  assert.deepEqual([body.failedIndex, body.results.length], [2, 3])
  assert.deepEqual([body.results[0].callId, body.results[0].actionResult.length], ['apps', 8])
  assert.match(body.results[2].error.message, /720x1280/)
  assert.ok(body.screenShot && body.changed.length > 0)
  assert.equal(await phone.front(), 'com.sandglass.files')
})

test('an action that a phone does not support is a 400 that lists the supported actions', async () => {
  for (const action of [
    { type: 'mouse:move', ...at(1, 1) },
    { type: 'mouse:tripleClick', ...at(1, 1), button: 1 },
    { type: 'key:down', key: 'a' },
    { type: 'key:up', key: 'a' },
  ]) {
    const { status, body } = await phone.act(action)
    assert.deepEqual([status, body.code], [400, 'action.UNFIT'], action.type)
    assert.match(body.message, /is for desktops.*Supported actions: .*touch:tap.*mouse:click/)
  }
  const { status, body } = await phone.service.post(`~/sandboxes/${phone.id}/actions/computer-use`, {
    action: { type: 'touch:tap', ...at(1, 1) },
  })
  assert.deepEqual([status, body.code], [400, 'action.UNFIT'])
})

test('invalid input is a 400 with the reason', async () => {
  const outside = /720x1280/
  const wrong: [object, RegExp][] = [
    [{ type: 'touch:tap', ...at(720, 1) }, outside],
    [{ type: 'touch:tap', ...at(-1, 1) }, outside],
    [{ type: 'mobile:doubleTap', ...at(1, 1280) }, outside],
    [{ type: 'touch:longPress', ...at(1, 5000), duration: 500 }, outside],
    [{ type: 'touch:longPress', ...at(1, 1), duration: 61_000 }, /60000 ms/],
    [{ type: 'touch:drag', startX: px(1), startY: px(1), endX: px(1), endY: px(1280) }, outside],
    [{ type: 'touch:swipe', ...at(1, 1e9), direction: 'up', distance: px(5) }, outside],
    [{ type: 'touch:swipe', ...at(1, 1), direction: 'up', distance: px(-5) }, /length of 0 or more/],
    [{ type: 'touch:swipe', ...at(1, 1), direction: 'round', distance: px(5) }, /direction/],
    [{ type: 'mouse:click', ...at(1, 1), button: 2 }, /button is 2/i],
    [{ type: 'mouse:click', ...at(1, 1), button: 1, holdKey: 'ctrl' }, /holdKey/i],
    [{ type: 'mouse:scroll', ...at(720, 1), stepVertical: 1, stepHorizontal: 0 }, outside],
    [{ type: 'keyboard:hotkey', keys: 'nonsense' }, /"nonsense"/],
    [{ type: 'keyboard:hotkey', keys: 'KEYCODE_NO_SUCH' }, /press KEYCODE_NO_SUCH/],
    [{ type: 'keyboard:hotkey', keys: 'ctrl+KEYCODE_NO_SUCH' }, /NO_SUCH/],
    [{ type: 'keyboard:type', content: 'a\u0000b' }, /U\+0000/],
    [{ type: 'os:startApp', packageName: '' }, /packageName/],
    [{ type: 'os:startAppByName', name: '' }, /name/],
    [{ type: 'os:closeApp' }, /packageName/],
    [{ type: 'os:closeAppByName', name: 5 }, /name/],
    [{ type: 'wait', duration: 61_000 }, /60000 ms/],
  ]
  for (const [action, why] of wrong) {
    const { status, body } = await phone.act(action)
    assert.equal(status, 400, JSON.stringify([action, body]))
    assert.match(body.message, why)
  }
})

test('every action of a phone is covered by a test', async () => {
  await act({ type: 'touch:tap', ...at(360, 640) })
  for (const type of ['screenshot', 'finished', 'failed']) await act({ type })
  await act({ type: 'wait', duration: 1 })
  await act({ type: 'client:user-takeover' })
  await phone.service.call('PUT', `~/sandboxes/${phone.id}/control`, { body: { holder: 'agent' } })
  const all = MobileAction.options.map(({ shape }) => shape.type.value)
  assert.deepEqual(
    all.filter(type => !done.has(type)),
    [],
  )
})
