import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { at, TestPhone } from '../../testing/test-phone.ts'

let phone: TestPhone
before(async () => {
  phone = await TestPhone.start()
})

/** Parses the text of a mobile model and performs its actions. */
async function follow(type: string, textContent: string): Promise<void> {
  const { status, body } = await phone.service.post(`/api/mobile-use/parse/${type}`, { textContent })
  assert.equal(status, 200)
  assert.notEqual(body.actions.length, 0, textContent)
  for (const action of body.actions) await phone.do(action)
}

const perMille = ({ x, y }: { x: number; y: number }) => [
  Math.round((1000 * x) / 720),
  Math.round((1000 * y) / 1280),
]

test('a model sees the phone, taps elements, and writes a note', async () => {
  const { screenShot, cursorPosition } = await phone.do({ type: 'screenshot' })
  const { width, height } = await phone.pixels(screenShot)
  assert.deepEqual([width, height], [720, 1280])
  assert.deepEqual([cursorPosition.screenWidth, cursorPosition.screenHeight], [720, 1280])

  const [x, y] = perMille(await phone.find('Notes'))
  await follow('ui-tars', `Thought: Notes is in the dock.\nAction: click(point='<point>${x} ${y}</point>')`)
  await phone.untilInFront('com.sandglass.notes')
  const [newX, newY] = perMille(await phone.find('New note'))
  await follow('autoglm', `<answer>do(action="Tap", element=[${newX}, ${newY}])</answer>`)
  await phone.find('note-title')
  await follow('ui-tars', "Thought: The title first.\nAction: type(content='Milk & Honig, 牛奶\\n')")
  await waitFor(async () => (await phone.note()).title === 'Milk & Honig, 牛奶')
  await follow('autoglm', '<answer>do(action="Back")</answer>')
  await follow('autoglm', '<answer>do(action="Home")</answer>')
  await phone.untilInFront('com.sandglass.launcher')
  await follow('autoglm', '<answer>do(action="Launch", app="contacts")</answer>')
  await phone.untilInFront('com.sandglass.contacts')
})

test('the picture after an action shows its effect', async () => {
  await phone.do({ type: 'android:home' })
  const settle = { quietMs: 400, maxMs: 9000 }
  const before = await phone.do({ type: 'screenshot' }, { settle })
  const { x, y } = await phone.find('Settings')
  const after = await phone.do({ type: 'touch:tap', ...at(x, y) }, { settle })
  assert.notEqual(after.screenShot, before.screenShot)
  const [home, settings] = await Promise.all([before, after].map(seen => phone.pixels(seen.screenShot)))
  const middle = 3 * (1100 * 720 + 30)
  assert.notDeepEqual(settings?.data.subarray(middle, middle + 3), home?.data.subarray(middle, middle + 3))
})

test('the data of an app survives a restart of the sandbox', async () => {
  await phone.openNote()
  await phone.do({ type: 'keyboard:type', content: 'kept' })
  const { status } = await phone.service.post(`~/sandboxes/${phone.id}/restart`)
  assert.equal(status, 200)
  assert.equal((await phone.note()).title, 'kept')
  await phone.untilInFront('com.sandglass.launcher')
  await phone.do({ type: 'os:startAppByName', name: 'notes' })
  await phone.find('kept')
})

test('a phone whose process was killed recovers, and calls in the meantime succeed or are clearly refused', async () => {
  await phone.do({ type: 'os:startAppByName', name: 'settings' })
  await phone.shell('kill -9 $(pgrep -f phone/main.py | head -1)')
  const answers = []
  for (let count = 0; count < 3; count++)
    answers.push(await phone.act({ type: 'touch:tap', ...at(360, 640) }, { settle: 'none' }))
  for (const { status, body } of answers) {
    assert.ok([200, 503, 504].includes(status), JSON.stringify(body))
    if (status !== 200) assert.match(body.message, /device|machine/i)
  }
  await waitFor(
    async () => (await phone.act({ type: 'os:startApp', packageName: 'com.sandglass.clock' })).status === 200,
  )
  await phone.untilInFront('com.sandglass.clock')
})
