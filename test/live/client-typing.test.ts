import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import type { Page } from 'playwright-core'
import type { FakeViewer } from './support/fake-room.ts'
import { openedWithPicture } from './support/opened.ts'

const [shift, control, altGr, alt] = [0xffe1, 0xffe3, 0xfe03, 0xffe9]

/** The events that a browser sends to the page for a keyboard of any layout. */
type Stroke = Pick<
  KeyboardEventInit,
  'key' | 'code' | 'location' | 'ctrlKey' | 'altKey' | 'modifierAltGraph'
> & { readonly type?: 'keydown' | 'keyup' }

async function press(page: Page, ...strokes: Stroke[]): Promise<void> {
  await page.evaluate(strokes => {
    const timeStamp = performance.now()
    for (const { type = 'keydown', ...init } of strokes) {
      const event = new KeyboardEvent(type, { bubbles: true, cancelable: true, ...init })
      // They have the same timestamp, however long dispatching takes.
      Object.defineProperty(event, 'timeStamp', { value: timeStamp })
      document.querySelector('textarea')?.dispatchEvent(event)
    }
  }, strokes)
}

async function got(viewer: FakeViewer, keys: readonly number[]): Promise<void> {
  await waitFor(async () => viewer.keys.length >= keys.length)
  assert.deepEqual(viewer.keys, keys)
}

test('keys are sent as keysyms with the lease number, and released as they were pressed', async () => {
  const { viewer, page } = await openedWithPicture()
  await page.keyboard.press('a')
  await page.keyboard.press('Shift+B')
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('F5')
  await page.keyboard.press('Control+c')
  await got(viewer, [
    0x61,
    -0x61,
    shift,
    0x42,
    -0x42,
    -shift,
    0xff0d,
    -0xff0d,
    0xff51,
    -0xff51,
    0xffc2,
    -0xffc2,
    control,
    0x63,
    -0x63,
    -control,
  ])
  assert.ok(viewer.inputs.every(({ lease }) => lease === 7))
  await page.close()
})

test('on every layout é and ß are keys, and AltGr selects @ without being pressed itself', async () => {
  const { viewer, page } = await openedWithPicture()
  await press(page, { key: 'é', code: 'Digit2' }, { key: 'é', code: 'Digit2', type: 'keyup' })
  await press(page, { key: 'ß', code: 'Minus' }, { key: 'ß', code: 'Minus', type: 'keyup' })
  // As Windows reports AltGr+Q on a German keyboard, together with a Control that nobody pressed.
  await press(
    page,
    { key: 'Control', code: 'ControlLeft', ctrlKey: true },
    { key: 'AltGraph', code: 'AltRight', ctrlKey: true, altKey: true },
    { key: '@', code: 'KeyQ', ctrlKey: true, altKey: true, modifierAltGraph: true },
    { key: '@', code: 'KeyQ', type: 'keyup' as const },
    { key: 'Control', code: 'ControlLeft', type: 'keyup' as const },
    { key: 'AltGraph', code: 'AltRight', type: 'keyup' as const },
  )
  await press(page, { key: 'я', code: 'KeyZ' }, { key: 'я', code: 'KeyZ', type: 'keyup' })
  await press(page, { key: '7', code: 'Numpad7', location: 3 }, { key: '7', code: 'Numpad7', type: 'keyup' })
  await press(page, { key: 'Control', code: 'ControlRight', location: 2 })
  await press(page, { key: 'Control', code: 'ControlRight', location: 2, type: 'keyup' })
  await got(viewer, [
    0xe9,
    -0xe9,
    0xdf,
    -0xdf,
    control,
    -control,
    0x40,
    -0x40,
    0x100044f,
    -0x100044f,
    0xffb7,
    -0xffb7,
    0xffe4,
    -0xffe4,
  ])
  assert.ok(!viewer.keys.includes(altGr))
  await page.close()
})

test('a key that changes its meaning while held is released as what it was', async () => {
  const { viewer, page } = await openedWithPicture()
  await press(
    page,

    { key: 'Shift', code: 'ShiftLeft', location: 1 },
    { key: 'A', code: 'KeyA' },
    { key: 'Shift', code: 'ShiftLeft', type: 'keyup' as const },
    { key: 'a', code: 'KeyA', type: 'keyup' as const },
  )
  await got(viewer, [shift, 0x41, -shift, -0x41])
  await page.close()
})

test('composed input is sent as text, and its keys are not sent', async () => {
  const { viewer, page } = await openedWithPicture()
  const devtools = await page.context().newCDPSession(page)
  for (const text of ['n', 'ni', '你'])
    await devtools.send('Input.imeSetComposition', {
      text,
      selectionStart: text.length,
      selectionEnd: text.length,
    })
  await devtools.send('Input.insertText', { text: '你好' })
  await waitFor(async () => viewer.inputs.some(({ type }) => type === 'text'))
  assert.deepEqual(
    viewer.inputs.filter(({ type }) => type !== 'pointer'),
    [{ type: 'text', lease: 7, text: '你好' }],
  )
  await page.keyboard.press('x')
  await got(viewer, [0x78, -0x78])
  assert.equal(await page.locator('textarea').inputValue(), '')
  await page.close()
})

test('a dead key waits for its letter, and an emoji is sent as text', async () => {
  const { viewer, page } = await openedWithPicture()
  await press(page, { key: 'Dead', code: 'Equal' }, { key: 'Dead', code: 'Equal', type: 'keyup' })
  await press(page, { key: 'ê', code: 'KeyE' }, { key: 'ê', code: 'KeyE', type: 'keyup' })
  await page.keyboard.insertText('🐫')
  await waitFor(async () => viewer.inputs.length === 3)
  assert.deepEqual(viewer.keys, [0xea, -0xea])
  assert.deepEqual(viewer.inputs[2], { type: 'text', lease: 7, text: '🐫' })
  await page.close()
})

test('all keys are released when the page loses keyboard focus', async () => {
  const { viewer, page } = await openedWithPicture()
  await page.keyboard.down('Alt')
  await page.evaluate(() => document.querySelector('textarea')?.blur())
  await waitFor(async () => viewer.inputs.at(-1)?.type === 'releaseAll')
  assert.deepEqual(viewer.keys, [alt])
  await page.close()
})

test('without control nothing is sent, and keys stay with the page', async () => {
  const { viewer, page } = await openedWithPicture({ isHolder: false })
  await page.locator('canvas').first().click()
  await page.keyboard.press('a')
  await page.keyboard.press('Tab')
  assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), 'TEXTAREA')
  viewer.lease(8, { kind: 'person', viewer: 'v1', name: 'Ada' })
  await waitFor(async () => page.evaluate(() => window.view.lease.isMine))
  await page.keyboard.press('b')
  await got(viewer, [0x62, -0x62])
  assert.ok(viewer.inputs.every(({ lease }) => lease === 8))
  await page.close()
})

test('Control, Alt and Shift together give the keyboard back to the page', async () => {
  const { viewer, page } = await openedWithPicture()
  await page.evaluate(() => {
    window.view.on('leave', () => (document.title = 'left'))
  })
  for (const key of ['Control', 'Alt', 'Shift']) await page.keyboard.down(key)
  await page.waitForFunction(() => document.title === 'left')
  await waitFor(async () => viewer.inputs.at(-1)?.type === 'releaseAll')
  assert.deepEqual(viewer.keys, [control, alt])
  await page.close()
})
