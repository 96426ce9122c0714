import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Parsed } from '@sandglass/protocol'
import { startTestService } from '../../testing/test-service.ts'

const service = await startTestService()
const fraction = (numerator: number) => ({ type: '/', numerator, denominator: 1000 })

test('the worked example of the published documentation gives the documented result', async () => {
  const textContent = "Next action: open it.\n  Action: left_double(point='<point>213 257</point>')"
  const { status, body } = await service.post('/api/computer-use/parse/ui-tars', { textContent })
  assert.equal(status, 200)
  Parsed.parse(body)
  assert.deepEqual(body.actions, [
    { type: 'mouse:doubleClick', x: fraction(213), y: fraction(257), button: 1 },
  ])
})

test('the same text results in a tap on a phone', async () => {
  const textContent = "Thought: go\nAction: click(point='<point>10 20</point>')"
  const { body } = await service.post('/api/mobile-use/parse/ui-tars', { textContent })
  assert.deepEqual(body, {
    actions: [{ type: 'touch:tap', x: fraction(10), y: fraction(20) }],
    thoughts: 'go',
  })
})

test('the deprecated operation gives the same result, and names its successor', async () => {
  const textContent = "Action: click(start_box='(100,200)')"
  const { status, headers, body } = await service.post('/api/computer-use/parse', {
    model: 'ui-tars',
    textContent,
  })
  assert.equal(status, 200)
  assert.equal(body.actions[0].type, 'mouse:click')
  assert.match(headers.get('deprecation') ?? '', /^@\d+$/)
  assert.equal(headers.get('link'), '</api/computer-use/parse/{type}>; rel="successor-version"')
  assert.equal((await service.post('/api/computer-use/parse', { model: 'gpt', textContent })).status, 400)
})

test('the optional sizes map resized pixels back to the screen', async () => {
  const textContent =
    '<tool_call>{"name":"computer_use","arguments":{"action":"left_click","coordinate":[644,364]}}</tool_call>'
  const sizes = { screenWidth: 2560, screenHeight: 1440, imageWidth: 1280, imageHeight: 720 }
  const { body } = await service.post('/api/computer-use/parse/qwen-2.5-vl', { textContent, ...sizes })
  assert.deepEqual(body.actions[0].x, { type: 'px', value: 1280 })
  assert.deepEqual(body.actions[0].y, { type: 'px', value: 720 })
})

test('text without an action is not an error, even at the maximum body size', async () => {
  for (const textContent of ['', 'I do not know.', '('.repeat(1_000_000), '\ud800"]}'.repeat(1000)]) {
    const { status, body } = await service.post('/api/computer-use/parse/auto', { textContent })
    assert.equal(status, 200)
    assert.deepEqual(body.actions, [])
  }
})

test('an unknown type gets a 404 that lists the known ones', async () => {
  const { status, body } = await service.post('/api/computer-use/parse/gpt-9', { textContent: 'x' })
  assert.deepEqual([status, body.code], [404, 'parser.UNKNOWN_TYPE'])
  const types = (await service.get('/api/parser-types')).body
  for (const { type } of types) assert.ok(body.message.includes(type), type)
  assert.ok(types.length >= 20)
})

test('every valid credential may call, and unauthenticated callers may not', async () => {
  const path = '/api/computer-use/parse/seed'
  const { operatorKey } = service.service.credentials
  const { body: trial } = await service.post('~/trial-tokens', { shapeNames: ['linux-desktop'] })
  const headers = { 'x-trial-session-token': trial.trialToken }
  assert.equal((await service.post(path, { textContent: 'x' }, { key: operatorKey })).status, 200)
  assert.equal((await service.post(path, { textContent: 'x' }, { key: null, headers })).status, 200)
  assert.equal((await service.post(path, { textContent: 'x' }, { key: null })).status, 401)
})

test('a large text has the same result as a small one, in the same form', async () => {
  const click = 'pyautogui.click(1, 2)'
  const post = async (count: number) =>
    service.post('/api/computer-use/parse/pyautogui', { textContent: `${click}\n`.repeat(count) })
  const [small, large] = [await post(2), await post(2000)]
  Parsed.parse(large.body)
  assert.equal(large.body.actions.length, 2000)
  assert.deepEqual(large.body.actions.slice(0, 2), small.body.actions)
  assert.equal(large.headers.get('content-type'), small.headers.get('content-type'))
  const old = await service.post('/api/computer-use/parse', {
    model: 'seed',
    textContent: 'x'.repeat(10_000),
  })
  assert.deepEqual([old.status, old.body.unknown?.length ?? old.body.thoughts?.length], [200, 10_000])
  assert.match(old.headers.get('deprecation') ?? '', /^@\d+$/)
})

test('an organization that sends many large texts is limited to a few at a time, and another one is not', async () => {
  const other = await service.otherOrganization()
  const textContent = 'pyautogui.click(1, 2)\n'.repeat(20_000)
  const post = (key?: string) =>
    service.post('/api/computer-use/parse/pyautogui', { textContent }, key === undefined ? {} : { key })
  const flood = Promise.all(Array.from({ length: 30 }, () => post()))
  const theirs = await post(other.apiKey)
  const answers = await flood
  assert.equal(theirs.status, 200)
  const refused = answers.filter(({ status }) => status === 429)
  assert.ok(refused.length > 0)
  for (const { body, headers } of refused)
    assert.deepEqual([body.code, headers.get('retry-after')], ['rate.LIMITED', '1'])
  for (const { status } of answers) assert.ok([200, 429, 503].includes(status))
  assert.ok(answers.some(({ status }) => status === 200))
})
