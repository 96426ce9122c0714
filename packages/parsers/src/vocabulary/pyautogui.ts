import type { Dialect } from '../dialect.ts'
import type { Intents, Point } from '../intent.ts'
import { keyOf, pressesOf } from '../readers/keys.ts'
import { pairOf, pointOf } from '../readers/points.ts'
import { type Call, numberOf, oneOf, textOf, type Value } from '../readers/value.ts'
import { milliseconds } from './amounts.ts'
import { pressed, typed } from './keyboard.ts'
import { buttonOf } from './pointer.ts'
import { plainWord, understand } from './vocabulary.ts'

const keysNames = oneOf('keys key')

/** Python arguments, by name or by position in the signature. */
class Arguments {
  readonly #call: Call
  readonly #signature: readonly string[]

  constructor(call: Call, signature: string) {
    this.#call = call
    this.#signature = signature.split(' ')
  }

  get(name: string): Value | undefined {
    const value = this.#call.fields.get(name) ?? this.#call.positional[this.#signature.indexOf(name)]
    return value === null ? undefined : value
  }

  /** `x, y`, or a pair in place of `x`. Undefined if neither is given, null if they are not a point. */
  point(x = 'x', y = 'y'): Point | null | undefined {
    const first = this.get(x)
    const second = this.get(y)
    if (first === undefined && second === undefined) return undefined
    return (
      (typeof first === 'object' && second === undefined ? pointOf(first) : pairOf(first, second)) ?? null
    )
  }

  /** Like a point, but an offset of None, or one that is left out beside the other, is 0, as in pyautogui. */
  offset(): Point | null | undefined {
    const [x, y] = [this.get('xOffset'), this.get('yOffset')]
    if (x === undefined && y !== undefined) return pairOf(0, y) ?? null
    if (typeof x === 'number' && y === undefined) return pairOf(x, 0) ?? null
    return this.point('xOffset', 'yOffset') ?? this.point()
  }
}

type Reader = (call: Call, dialect: Dialect) => Intents | undefined

function click(signature: string, button: number | undefined, count: 1 | 2 | 3): Reader {
  return call => {
    const given = new Arguments(call, signature)
    // A pair in place of x does not shift the other arguments: clicks and button are then named.
    const at = given.point()
    const pressed = button ?? buttonOf(given.get('button'))
    const times = count === 1 ? (numberOf(given.get('clicks')) ?? 1) : count
    if (at === null || pressed === undefined || (times !== 1 && times !== 2 && times !== 3)) return undefined
    return [
      at === undefined
        ? { kind: 'tap', button: pressed, count: times }
        : { kind: 'tap', at, button: pressed, count: times },
    ]
  }
}

function scroll(horizontal: boolean): Reader {
  return call => {
    const given = new Arguments(call, 'clicks x y')
    const clicks = numberOf(given.get('clicks'))
    const at = given.point()
    if (clicks === undefined || clicks === 0 || at === null) return undefined
    const steps = horizontal ? { down: 0, right: clicks } : { down: -clicks, right: 0 }
    return [at === undefined ? { kind: 'scroll', ...steps } : { kind: 'scroll', at, ...steps }]
  }
}

function drag(relative: boolean): Reader {
  return call => {
    const [x, y] = relative ? ['xOffset', 'yOffset'] : ['x', 'y']
    const given = new Arguments(call, `${x} ${y} duration tween button`)
    const to = relative ? given.offset() : given.point()
    const button = buttonOf(given.get('button'))
    if (!to || button === undefined) return undefined
    return [relative ? { kind: 'drag', to, relative, button } : { kind: 'drag', to, button }]
  }
}

const move: Reader = call => {
  const at = new Arguments(call, 'x y').point()
  return at ? [{ kind: 'move', at }] : undefined
}

const moveBy: Reader = call => {
  const given = new Arguments(call, 'xOffset yOffset')
  const at = given.offset()
  return at ? [{ kind: 'move', at, relative: true }] : undefined
}

function buttonChange(kind: 'buttonDown' | 'buttonUp'): Reader {
  return call => {
    const given = new Arguments(call, 'x y button')
    const at = given.point()
    const button = buttonOf(given.get('button'))
    return at === null || button === undefined ? undefined : { kind, at, button }
  }
}

const write: Reader = (call, dialect) => {
  const given = new Arguments(call, 'message interval')
  const message = given.get('message') ?? given.get('text')
  if (Array.isArray(message)) return keysInTurn(message, 1)
  const content = textOf(message)
  return content === undefined ? undefined : [typed(content, dialect)]
}

const press: Reader = call => {
  const given = new Arguments(call, 'keys presses interval')
  const keys = given.get('keys') ?? given.get('key')
  return keysInTurn(Array.isArray(keys) ? keys : [keys ?? null], numberOf(given.get('presses')) ?? 1)
}

/** pyautogui presses the keys of a list in turn, and repeats the list as requested. */
function keysInTurn(keys: readonly Value[], times: number): Intents | undefined {
  const once: string[] = []
  for (const key of keys.slice(0, 100)) {
    const presses = pressesOf(key, 'chord')
    if (presses === undefined) return undefined
    once.push(...presses)
  }
  return once.length === 0 ? undefined : pressed(once, times)
}

const hotkey: Reader = (call, dialect) => {
  const keys =
    call.fields.any(keysNames) ?? (call.positional.length === 1 ? call.positional[0] : call.positional)
  return pressesOf(keys, dialect.blankBetweenKeys)?.map(keys => ({ kind: 'keys', keys }))
}

function keyChange(kind: 'keyDown' | 'keyUp'): Reader {
  return call => {
    const name = textOf(new Arguments(call, 'key').get('key'))
    const key = name === undefined ? undefined : keyOf(name)
    return key === undefined ? undefined : [{ kind, key }]
  }
}

const sleep: Reader = (call, dialect) => {
  const given = new Arguments(call, 'seconds')
  const seconds = numberOf(
    given.get('seconds') ?? given.get('duration') ?? given.get('time') ?? given.get('secs'),
  )
  return [{ kind: 'wait', duration: seconds === undefined ? dialect.waitMs : milliseconds(seconds * 1000) }]
}

const clicked = 'x y clicks interval button'
const doubled = 'x y interval button'

/** Functions by name in lowercase without `_`. */
const readers = new Map<string, Reader>([
  ['click', click(clicked, undefined, 1)],
  ['leftclick', click(doubled, 1, 1)],
  ['rightclick', click(doubled, 2, 1)],
  ['middleclick', click(doubled, 4, 1)],
  ['doubleclick', click(doubled, undefined, 2)],
  ['tripleclick', click(doubled, undefined, 3)],
  ['moveto', move],
  ['move', moveBy],
  ['moverel', moveBy],
  ['mousedown', buttonChange('buttonDown')],
  ['mouseup', buttonChange('buttonUp')],
  ['dragto', drag(false)],
  ['drag', drag(true)],
  ['dragrel', drag(true)],
  ['scroll', scroll(false)],
  ['vscroll', scroll(false)],
  ['hscroll', scroll(true)],
  ['write', write],
  ['typewrite', write],
  ['press', press],
  ['hotkey', hotkey],
  ['keydown', keyChange('keyDown')],
  ['keyup', keyChange('keyUp')],
  ['sleep', sleep],
  ['wait', sleep],
  ['screenshot', () => [{ kind: 'screenshot' }]],
])

/** What a call of `pyautogui`, of the `computer` or `mobile` object around it, or of `time` means. */
export function understandCall(call: Call, dialect: Dialect): Intents | undefined {
  const dot = call.name.lastIndexOf('.')
  const owner = dot < 0 ? '' : call.name.slice(0, dot)
  const name = call.name.slice(dot + 1)
  const word = plainWord(name)
  if (owner === 'time') return word === 'sleep' ? sleep(call, dialect) : undefined
  if (owner === 'mobile') return named(call, name, dialect)
  if (owner === 'pyperclip' || (owner === '' && word === 'print')) return undefined
  if (owner !== '' && owner !== 'pyautogui' && owner !== 'pag' && owner !== 'computer' && owner !== 'agent') {
    return undefined
  }
  return readers.get(word)?.(call, dialect) ?? (owner === 'computer' ? named(call, name, dialect) : undefined)
}

/** The other functions of `computer` and `mobile` have at most one argument, which can be positional. */
function named(call: Call, name: string, dialect: Dialect): Intents | undefined {
  const [first] = call.positional
  if (first !== undefined) call.fields.add(plainWord(name) === 'terminate' ? 'status' : 'content', first)
  return understand(name, call.fields, dialect)
}
