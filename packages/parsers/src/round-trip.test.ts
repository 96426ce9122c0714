import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Action } from '@sandglass/protocol'
import fc from 'fast-check'
import { isParserType, parse, type Space } from './index.ts'
import type { Length } from './screen.ts'
import { type Counting, printers } from './testing/printer.ts'

function lengths(counting: Counting): fc.Arbitrary<Length> {
  if (counting === 'pixels') return fc.nat(4000).map(value => ({ type: 'px', value }))
  return fc.nat(1000).map(numerator => ({ type: '/', numerator, denominator: 1000 }))
}

const chords = fc.constantFrom(
  'ctrl+c',
  'Return',
  'alt+Tab',
  'ctrl+shift+Escape',
  'super',
  'F11',
  'Page_Down',
  'ctrl+plus',
)
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter(text => text.trim() === text)

const plain = { noNullPrototype: true }

/** `always`: whether every newline of typed text is Enter for the family, or only one at the end. */
function actions(counting: Counting, space: Space, always: boolean): fc.Arbitrary<Action> {
  const x = lengths(counting)
  const steps = fc.integer({ min: 1, max: 20 })
  const typed = fc.oneof(
    words,
    words.map(text => `${text}\n`),
    fc.tuple(words, words).map(lines => lines.join('\n')),
  )
  const shared: fc.Arbitrary<Action>[] = [
    typed.map(content => ({
      type: 'keyboard:type',
      content,
      treatNewLineAsEnter: always ? content.includes('\n') : content.endsWith('\n'),
    })),
    chords.map(keys => ({ type: 'keyboard:hotkey', keys })),
    fc.nat(60_000).map(duration => ({ type: 'wait', duration })),
    words.map(message => ({ type: 'finished', message })),
    fc.constant({ type: 'client:user-takeover' }),
  ]
  const path = { startX: x, startY: x, endX: x, endY: x }
  const computer: fc.Arbitrary<Action>[] = [
    fc.record({ type: fc.constant('mouse:click'), x, y: x, button: fc.constant(1) }, plain),
    fc.record({ type: fc.constant('mouse:doubleClick'), x, y: x, button: fc.constant(1) }, plain),
    fc.record({ type: fc.constant('mouse:drag'), ...path, button: fc.constant(1) }, plain),
    fc.record(
      {
        type: fc.constant('mouse:scroll'),
        x,
        y: x,
        stepVertical: steps,
        stepHorizontal: fc.constant(0),
      },
      plain,
    ),
    fc.record(
      {
        type: fc.constant('mouse:scroll'),
        x,
        y: x,
        stepVertical: fc.constant(0),
        stepHorizontal: steps.map(count => -count),
      },
      plain,
    ),
  ]
  const mobile: fc.Arbitrary<Action>[] = [
    fc.record({ type: fc.constant('touch:tap'), x, y: x }, plain),
    fc.record({ type: fc.constant('touch:drag'), ...path }, plain),
    fc.constant({ type: 'android:back' }),
    fc.constant({ type: 'android:home' }),
    words.map(name => ({ type: 'os:startAppByName', name })),
  ]
  return fc.oneof(...shared, ...(space === 'computer' ? computer : mobile))
}

/** Families that treat every newline as Enter. */
const always = new Set([
  'qwen-2.5-vl',
  'qwen-3-vl',
  'mai-ui',
  'gui-owl',
  'pyautogui',
  'opencua',
  'openai',
  'anthropic',
])

for (const [type, [counting, print]] of Object.entries(printers)) {
  for (const space of ['computer', 'mobile'] as const) {
    test(`${type}, ${space}: printed actions are parsed back`, () => {
      assert.ok(isParserType(type))
      let printed = 0
      fc.assert(
        fc.property(actions(counting, space, always.has(type)), action => {
          const text = print(action)
          if (text === undefined) return
          printed++
          assert.deepEqual(parse(type, space, text).actions, [action], text)
        }),
        { numRuns: 300 },
      )
      if (type !== 'step-gui' || space === 'mobile') assert.ok(printed > 0)
    })
  }
}
