import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ParserType, parse, parseOnScreen } from './index.ts'

const desktop = { screenWidth: 1280, screenHeight: 720 }
const phone = { screenWidth: 720, screenHeight: 1280 }

const calls = (...places: (readonly [number, number])[]) =>
  places.map(([x, y]) => `Action: click(start_box='(${x},${y})')`).join('\n\n')

const tools = (...places: (readonly [number, number])[]) =>
  places
    .map(
      at => `{"name":"computer_use","arguments":{"action":"left_click","coordinate":${JSON.stringify(at)}}}`,
    )
    .map(call => `<tool_call>${call}</tool_call>`)
    .join('\n')

function unitOf(type: ParserType, text: string, screen: typeof desktop) {
  const { parsed, unit } = parseOnScreen(type, 'computer', text, screen)
  const kinds = new Set(parsed.actions.map(action => (action.type === 'mouse:click' ? action.x.type : '')))
  assert.equal(kinds.size, 1, 'one text has one unit')
  assert.deepEqual(parse(type, 'computer', text, screen), parsed, 'both ways to parse agree')
  return unit
}

test('a number above 1000 makes all coordinates pixels, whichever action it belongs to', () => {
  for (const places of [
    [
      [1200, 300],
      [400, 200],
    ],
    [
      [400, 200],
      [1200, 300],
    ],
  ] as const) {
    assert.equal(unitOf('ui-tars', calls(...places), desktop)?.unit, 'px')
    const choice = unitOf('qwen-3-vl', tools(...places), desktop)
    assert.deepEqual([choice?.unit, choice?.fits], ['px', true])
    assert.match(choice?.reason ?? '', /1200 is more than 1000 thousandths, so all coordinates are pixels/)
  }
})

test('a number that is outside the image in pixels makes all coordinates thousandths', () => {
  for (const [screen, places] of [
    [
      desktop,
      [
        [400, 200],
        [300, 950],
      ],
    ],
    [
      phone,
      [
        [900, 100],
        [300, 200],
      ],
    ],
  ] as const) {
    const choice = unitOf('qwen-2.5-vl', tools(...places), screen)
    assert.deepEqual([choice?.unit, choice?.fits], ['thousandths', true])
    assert.match(
      choice?.reason ?? '',
      /outside an image of \d+x\d+ pixels, so all coordinates are thousandths/,
    )
    assert.match(unitOf('ui-tars', calls(...places), screen)?.reason ?? '', /outside an image/)
  }
})

test('if both units fit, it is the usual one of the family, and the reason says so', () => {
  const [thousandths, pixels] = [
    unitOf('ui-tars', calls([640, 360]), desktop),
    unitOf('qwen-2.5-vl', tools([640, 360]), desktop),
  ]
  assert.deepEqual([thousandths?.unit, pixels?.unit], ['thousandths', 'px'])
  for (const choice of [thousandths, pixels])
    assert.match(choice?.reason ?? '', /could be pixels or thousandths/)
  assert.match(unitOf('openai', '{"type":"click","x":5,"y":6}', desktop)?.reason ?? '', /always use pixels/)
})

test('coordinates that fit no unit together are reported, and are not mixed', () => {
  const choice = unitOf('ui-tars', calls([1200, 300], [300, 900]), desktop)
  assert.deepEqual([choice?.unit, choice?.fits], ['px', false])
  assert.match(choice?.reason ?? '', /^1200 is more than 1000 thousandths, and y = 900 is outside/)
  const fractions = unitOf('pyautogui', 'pyautogui.click(0.5, 0.25)\npyautogui.click(300, 200)', desktop)
  assert.deepEqual([fractions?.unit, fractions?.fits], ['px', false])
  const outside = unitOf('pyautogui', 'pyautogui.click(300, 900)', desktop)
  assert.deepEqual([outside?.unit, outside?.fits], ['px', false])
})

test('fractions are recognised, and offsets from the pointer decide nothing', () => {
  assert.equal(unitOf('pyautogui', 'pyautogui.click(0.5, 0.25)', desktop)?.unit, 'fractions')
  const { unit } = parseOnScreen('pyautogui', 'computer', 'pyautogui.moveRel(2000, 0)', desktop)
  assert.equal(unit, undefined)
})

test('a text without coordinates has no unit', () => {
  assert.equal(parseOnScreen('ui-tars', 'computer', "Action: type(content='x')", desktop).unit, undefined)
})

test('an operation that is not understood is named if actions follow it, and prose is not', () => {
  const refused = (type: ParserType, text: string) => parseOnScreen(type, 'computer', text, desktop).refused
  const move = 'pyautogui.moveTo(30, 40)'
  assert.equal(refused('pyautogui', `${move}\npyautogui.press('nokey')\n${move}`), "pyautogui.press('nokey')")
  assert.equal(refused('pyautogui', `${move}\n# then (again)\n${move}`), undefined)
  assert.equal(refused('pyautogui', `import pyautogui\n${move}`), undefined)
  assert.equal(refused('ui-tars', calls([10, 20], [30, 40])), undefined)
  const hole = "Action: click(start_box='(1,2)')\n\nfrobnicate(x='1')\n\nwait()"
  assert.match(refused('ui-tars', hole) ?? '', /frobnicate/)
  assert.equal(
    refused('ui-tars', "Thought: Use f(x).\nAction: click(start_box='(1,2)')\nThat is it."),
    undefined,
  )
})
