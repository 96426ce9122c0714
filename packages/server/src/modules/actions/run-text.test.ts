import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { runModelText } from '@sandglass/protocol'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const { service } = await startMachineService({ hasPhone: true })

let desktop = ''
let phone = ''
before(async () => {
  ;[desktop, phone] = await Promise.all([makeSandbox(service), makeSandbox(service, { shapeName: 'phone' })])
})

const run = (id: string, type: string, textContent: string, more: object = {}) =>
  service.post(`~/sandboxes/${id}/actions/run-text`, { type, textContent, settle: 'none', ...more })

/** Runs a text and returns the response, which must be a success that matches its schema. */
async function ran(id: string, type: string, textContent: string, more: object = {}) {
  const { status, body, text } = await run(id, type, textContent, more)
  assert.equal(status, 200, text)
  return runModelText.response?.parse(body) ?? assert.fail()
}

const tool = (coordinate: readonly number[]) =>
  `<tool_call>{"name":"computer_use","arguments":{"action":"mouse_move","coordinate":${JSON.stringify(coordinate)}}}</tool_call>`

test("a model's text is parsed and performed in one call, with a screenshot of the result", async () => {
  const text =
    "Thought: Go there.\nAction: hover(start_box='(500,500)')\n\nhotkey(key='ctrl l')\n\nfinished(content='ok')"
  const done = await ran(desktop, 'ui-tars', text, { callId: 'step 1', includeImage: true })
  assert.deepEqual(
    done.actions.map(({ type }) => type),
    ['mouse:move', 'keyboard:hotkey', 'finished'],
  )
  assert.deepEqual(done.results, [{ success: true }, { success: true }, { success: true }])
  assert.deepEqual([done.thoughts, done.callId, done.failedIndex], ['Go there.', 'step 1', undefined])
  assert.deepEqual([done.cursorPosition?.x, done.cursorPosition?.y], [640, 360])
  assert.equal((await fetch(done.screenShot ?? '')).status, 200)
  assert.equal(done.image?.mediaType, 'image/webp')
})

test('the unit of the coordinates is decided for the whole text, and reported', async () => {
  const pixels = await ran(desktop, 'qwen-3-vl', `${tool([1200, 300])}\n${tool([640, 360])}`)
  assert.equal(pixels.coordinates?.unit, 'px')
  assert.match(pixels.coordinates?.reason ?? '', /1200 is more than 1000/)
  assert.deepEqual([pixels.cursorPosition?.x, pixels.results.length], [640, 2])
  const thousandths = await ran(desktop, 'qwen-2.5-vl', `${tool([300, 900])}\n${tool([500, 500])}`)
  assert.equal(thousandths.coordinates?.unit, 'thousandths')
  assert.deepEqual([thousandths.cursorPosition?.x, thousandths.cursorPosition?.y], [640, 360])
})

test('pixels of a smaller image are put in the right place on the screen', async () => {
  const text = 'pyautogui.moveTo(320, 180)'
  const { cursorPosition } = await ran(desktop, 'pyautogui', text, { imageWidth: 640, imageHeight: 360 })
  assert.deepEqual([cursorPosition?.x, cursorPosition?.y], [640, 360])
})

test('the first action that fails ends the call, and the screenshot shows how far it came', async () => {
  const text = 'pyautogui.moveTo(100, 100)\ntime.sleep(100)\npyautogui.moveTo(200, 200)'
  const { results, failedIndex, actions, cursorPosition } = await ran(desktop, 'pyautogui', text)
  assert.deepEqual([actions.length, results.length, failedIndex], [3, 2, 1])
  assert.equal(results[1]?.error?.code, 'action.INVALID')
  assert.equal(cursorPosition?.x, 100)
})

test('a text that cannot be run is a 400 that says why, and nothing of it is done', async () => {
  await ran(desktop, 'pyautogui', 'pyautogui.moveTo(10, 20)')
  const move = 'pyautogui.moveTo(30, 40)\n'
  const cases: [type: string, text: string, code: string, message: RegExp][] = [
    ['ui-tars', 'I am not sure what to do.', 'parser.NO_ACTION', /"I am not sure what to do."/],
    ['ui-tars', '', 'parser.NO_ACTION', /empty/],
    ['ui-tars', 'x'.repeat(500_000), 'parser.NO_ACTION', /…"/],
    ['pyautogui', `${move}pyautogui.click(0.5, 0.5)`, 'parser.UNITS', /between 0 and 1/],
    ['pyautogui', `${move}pyautogui.click(30, 900)`, 'parser.UNITS', /y = 900 is outside/],
    ['pyautogui', `${move}pyautogui.press('nokey')\n${move}`, 'parser.ACTION_UNKNOWN', /nokey/],
    ['pyautogui', move.repeat(101), 'parser.TOO_MANY_ACTIONS', /101 actions/],
    ['pyautogui', move.repeat(20_000), 'parser.TOO_MANY_ACTIONS', /20000 actions/],
  ]
  for (const [type, text, code, message] of cases) {
    const { status, body } = await run(desktop, type, text)
    assert.deepEqual([status, body.code], [400, code])
    assert.match(body.message, message)
  }
  const unknown = await run(desktop, 'gpt-9', move)
  assert.deepEqual([unknown.status, unknown.body.code], [404, 'parser.UNKNOWN_TYPE'])
  assert.equal((await run(desktop, 'pyautogui', move, { settle: 5 })).body.code, 'request.INVALID')
  const { body } = await service.post(`~/sandboxes/${desktop}/preview`)
  assert.deepEqual([body.cursorPosition.x, body.cursorPosition.y], [10, 20])
})

test('the same text taps on a phone', async () => {
  const done = await ran(phone, 'ui-tars', "Action: click(point='<point>500 500</point>')\n\npress_home()")
  assert.deepEqual(
    done.actions.map(({ type }) => type),
    ['touch:tap', 'android:home'],
  )
  assert.deepEqual([done.cursorPosition?.x, done.cursorPosition?.y], [360, 640])
  const desktopOnly = await run(phone, 'pyautogui', "pyautogui.keyDown('shift')")
  assert.deepEqual([desktopOnly.status, desktopOnly.body.code], [400, 'parser.NO_ACTION'])
  assert.match(desktopOnly.body.message, /of a phone/)
})

test('a viewer cannot run texts, and an agent that called a person cannot either', async () => {
  const key = await service.keyOf('viewer')
  const path = `~/sandboxes/${desktop}/actions/run-text`
  const move = { type: 'pyautogui', textContent: 'pyautogui.moveTo(10, 20)' }
  assert.equal((await service.post(path, move, { key })).status, 403)
  const called = await ran(desktop, 'ui-tars', 'Action: call_user()')
  assert.deepEqual([called.actions[0]?.type, called.results[0]?.success], ['client:user-takeover', true])
  const { body } = await service.post(path, move)
  assert.deepEqual([body.failedIndex, body.results[0].error.code], [0, 'sandbox.TAKEN_OVER'])
})
