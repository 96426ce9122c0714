import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { isParserType, type ParserType, parse, type Space } from '@sandglass/parsers'
import type { Action, Length, Parsed } from '@sandglass/protocol'

/** An operation in the neutral vocabulary of a case file: raw numbers, and keys as a list. */
interface Op {
  op: string
  [field: string]: unknown
}

interface Case {
  id: number
  family: string
  space: Space
  type_hint: string | null
  text: string
  expected: {
    coord?: string
    actions: Op[]
    alternative_actions?: Op[]
    reject?: string
    thought?: string
    thought_contains?: string
    memory?: string
    memory_contains?: string
    unknown_contains?: string
  }
}

/** Families that case files name differently. */
const types: Readonly<Record<string, ParserType>> = {
  'openai-cua': 'openai',
  'anthropic-cu': 'anthropic',
  'gemini-cu': 'gemini',
}

/** Operations that the contract cannot express, and that are therefore refused on purpose. */
const refusals: Readonly<Record<string, string>> = {
  double_tap: 'two taps in two calls are no double tap',
  recents: 'no action shows the recent apps',
  mouse_down: 'no action holds a button down',
  mouse_up: 'no action lets a button go',
  navigate: 'an address bar is not everywhere',
}

function typeOf({ type_hint, family }: Case): ParserType {
  const name = type_hint ?? types[family] ?? family
  return isParserType(name) ? name : 'auto'
}

/** Whether a length equals the raw number of a case, in the coordinate system of the case. */
function same(length: Length, raw: unknown, coord = ''): boolean {
  if (typeof raw !== 'number') return raw === undefined
  const fraction = length.type === '/' ? length.numerator / length.denominator : undefined
  const thousandths = fraction !== undefined && Math.abs(fraction * 1000 - raw) <= 0.01
  const pixels = length.type === 'px' && length.value === Math.floor(raw)
  if (coord.startsWith('norm1000') || coord.startsWith('grid0-999')) return thousandths
  if (coord.startsWith('fraction01')) return fraction !== undefined && Math.abs(fraction - raw) <= 0.0001
  return coord.startsWith('px') ? pixels : thousandths || pixels
}

function at(action: { x: Length; y: Length }, op: Op, coord: string | undefined): boolean {
  return same(action.x, op['x'] ?? op['x1'], coord) && same(action.y, op['y'] ?? op['y1'], coord)
}

const buttons: Readonly<Record<string, number>> = { left: 1, right: 2, middle: 4, back: 8, forward: 16 }
const keysyms: Readonly<Record<string, string>> = {
  enter: 'return',
  esc: 'escape',
  cmd: 'super',
  win: 'super',
  '-': 'minus',
}

function sameKeys(keys: string, expected: unknown): boolean {
  const wanted = Array.isArray(expected) ? expected.map(String) : [String(expected)]
  const plain = (key: string) => keysyms[key.toLowerCase()] ?? key.toLowerCase().replaceAll('_', '')
  return isDeepStrictEqual(keys.split('+').map(plain), wanted.map(plain))
}

const opposite: Readonly<Record<string, string>> = { up: 'down', down: 'up', left: 'right', right: 'left' }

/** How many of the actions an operation matches, or 0 if they do not perform it. */
function matched(op: Op, actions: readonly Action[], coord: string | undefined): number {
  const [action, second] = actions
  if (action === undefined) return 0
  const one = (same: boolean) => (same ? 1 : 0)
  const clicks: Readonly<Record<string, string>> = {
    click: 'mouse:click',
    double_click: 'mouse:doubleClick',
    triple_click: 'mouse:tripleClick',
  }
  switch (op.op) {
    case 'click':
    case 'double_click':
    case 'triple_click':
      if (action.type === 'touch:tap') return one(op.op === 'click' && at(action, op, coord))
      if (action.type !== clicks[op.op] || !('button' in action) || !('x' in action)) return 0
      if (Array.isArray(op['hold']) && !sameKeys(action.holdKey ?? '', op['hold'])) return 0
      return one(at(action, op, coord) && action.button === (buttons[String(op['button'] ?? 'left')] ?? 1))
    case 'tap':
      return one((action.type === 'touch:tap' || action.type === 'mouse:click') && at(action, op, coord))
    case 'long_press':
      return one(action.type === 'touch:longPress' && at(action, op, coord))
    case 'move':
      return one(
        action.type === 'mouse:move' &&
          at(action, op, coord) &&
          (action.relative ?? false) === (op['relative'] ?? false),
      )
    case 'drag':
    case 'swipe': {
      if (action.type === 'touch:swipe')
        return one(at(action, op, coord) && action.direction === op['direction'])
      if (action.type !== 'mouse:drag' && action.type !== 'touch:drag') return 0
      const starts = op['from_current']
        ? action.type === 'mouse:drag' && action.startRelative === true
        : same(action.startX, op['x1'], coord) && same(action.startY, op['y1'], coord)
      return one(starts && same(action.endX, op['x2'], coord) && same(action.endY, op['y2'], coord))
    }
    case 'scroll': {
      if (action.type === 'touch:swipe') return one(opposite[action.direction] === op['direction'])
      if (action.type === 'touch:drag') return 1
      if (action.type !== 'mouse:scroll' || !(op['x'] === undefined || at(action, op, coord))) return 0
      const { stepVertical: down, stepHorizontal: right } = action
      const towards = down > 0 ? 'down' : down < 0 ? 'up' : right > 0 ? 'right' : 'left'
      const amount = op['amount'] === undefined || Math.abs(down || right) === op['amount']
      return one(towards === op['direction'] && amount)
    }
    case 'type': {
      const taps = Array.isArray(op['at']) ? 1 : 0
      const typing = taps === 1 ? second : action
      if (typing?.type !== 'keyboard:type' || typing.content !== op['text']) return 0
      return op['submit'] === true && !typing.treatNewLineAsEnter ? 0 : 1 + taps
    }
    case 'input_text': {
      const submitted = actions[2]?.type === 'keyboard:hotkey'
      const typed = second?.type === 'keyboard:type' && second.content === op['text']
      return action.type === 'touch:tap' && at(action, op, coord) && typed && submitted ? 3 : 0
    }
    case 'hotkey':
      return one(action.type === 'keyboard:hotkey' && sameKeys(action.keys, op['keys']))
    case 'hold_key':
      return one(
        action.type === 'keyboard:hotkey' && sameKeys(action.keys, op['key']) && action.duration === op['ms'],
      )
    case 'key_down':
    case 'key_up':
      return one(
        action.type === (op.op === 'key_up' ? 'key:up' : 'key:down') &&
          'key' in action &&
          sameKeys(action.key, op['key']),
      )
    case 'wait':
      return one(action.type === 'wait' && (op['ms'] === undefined || action.duration === op['ms']))
    case 'finished':
    case 'failed':
      return one(action.type === op.op && (op['message'] === undefined || action.message === op['message']))
    case 'call_user':
      return one(action.type === 'client:user-takeover')
    case 'press_home':
      return one(action.type === 'android:home')
    case 'press_back':
      return one(action.type === 'android:back')
    case 'open_app':
      return one(action.type === 'os:startAppByName' && action.name === op['name'])
    default:
      return 0
  }
}

function sameActions(ops: readonly Op[], actions: readonly Action[], coord: string | undefined): boolean {
  let taken = 0
  for (const op of ops) {
    if (op.op === 'no_equivalent') continue
    const count = matched(op, actions.slice(taken), coord)
    if (count === 0) return false
    taken += count
  }
  return taken === actions.length
}

function missing({ expected }: Case, parsed: Parsed): string | undefined {
  const right =
    sameActions(expected.actions, parsed.actions, expected.coord) ||
    (expected.alternative_actions !== undefined &&
      sameActions(expected.alternative_actions, parsed.actions, expected.coord))
  if (!right) return 'actions'
  const { thought, thought_contains, memory, memory_contains, unknown_contains } = expected
  if (thought !== undefined && parsed.thoughts !== thought) return 'thought'
  if (thought_contains !== undefined && !parsed.thoughts?.includes(thought_contains)) return 'thought'
  if (memory !== undefined && parsed.memory !== memory) return 'memory'
  if (memory_contains !== undefined && !parsed.memory?.includes(memory_contains)) return 'memory'
  if (unknown_contains !== undefined && !parsed.unknown?.includes(unknown_contains)) return 'unknown'
  return undefined
}

function reasonFor({ expected }: Case): string | undefined {
  if (expected.coord?.includes('(1.5)')) {
    return 'no number above 1000 tells pixels from thousandths; the type ui-tars-1.5 takes them for pixels'
  }
  return expected.actions.map(({ op }) => refusals[op]).find(reason => reason !== undefined)
}

const path = process.argv[2] ?? new URL('../../shared/parse-cases.jsonl', import.meta.url)
const cases: Case[] = readFileSync(path, 'utf8')
  .split('\n')
  .filter(line => line.trim() !== '')
  .map(line => JSON.parse(line))

for (const forced of [undefined, 'auto'] as const) {
  let right = 0
  for (const item of cases) {
    const type = forced ?? typeOf(item)
    const parsed = parse(type, item.space, item.text)
    const miss = missing(item, parsed)
    if (miss === undefined) {
      right++
      continue
    }
    const reason = reasonFor(item) ?? 'not refused on purpose'
    console.log(`miss ${item.id} (${type}, ${item.space}): ${miss}; ${reason}`)
    console.log(`  wanted ${JSON.stringify(item.expected).slice(0, 600)}`)
    console.log(`  got    ${JSON.stringify(parsed).slice(0, 600)}`)
  }
  const share = ((100 * right) / cases.length).toFixed(1)
  console.log(`${forced ?? 'by type'}: ${right} of ${cases.length} cases (${share}%)`)
}
