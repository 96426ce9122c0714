import type { Point } from '../intent.ts'
import { isDigit } from './characters.ts'
import { Call, Fields, oneOf, type Value } from './value.ts'
import { Words } from './words.ts'

const xNames = oneOf('x X')
const yNames = oneOf('y Y')

/** A point, or the centre of a box, in any spelling models use; undefined for whatever else it says. */
export function pointOf(value: Value | undefined): Point | undefined {
  if (value === undefined || value === null) return undefined
  count = 0
  if (typeof value === 'string') return readNumbers(value) ? centre() : undefined
  if (value instanceof Fields) return pairOf(value.any(xNames), value.any(yNames))
  if (typeof value === 'object' && !(value instanceof Call)) return flatten(value, 0) ? centre() : undefined
  return undefined
}

/** A point whose two numbers stand apart, as numbers or as strings that are numbers. */
export function pairOf(x: Value | undefined, y: Value | undefined): Point | undefined {
  const first = single(x)
  const second = single(y)
  return first === undefined || second === undefined ? undefined : [first, second]
}

function single(value: Value | undefined): number | undefined {
  if (typeof value === 'number') return value
  count = 0
  return typeof value === 'string' && readNumbers(value) && count === 1 ? numbers[0] : undefined
}

/** The numbers of the place that is being read: one array for all places, of which `count` are in use. */
const numbers: [number, number, number, number] = [0, 0, 0, 0]
let count = 0

function take(number: number): boolean {
  if (!Number.isFinite(number) || count === numbers.length) return false
  numbers[count++] = number
  return true
}

function centre(): Point | undefined {
  if (count === 2) return [numbers[0], numbers[1]]
  return count === 4 ? [(numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2] : undefined
}

function flatten(values: readonly Value[], depth: number): boolean {
  for (const value of values) {
    const before = count
    if (typeof value === 'number') take(value)
    else if (typeof value === 'string') {
      if (!readNumbers(value)) return false
    } else if (!Array.isArray(value) || depth >= 3 || !flatten(value, depth + 1)) return false
    else continue
    if (count === before) return false
  }
  return true
}

/** The tags that may stand around or between the numbers of a place. */
const tags = new Words<true>()
for (const tag of ['point', '/point', 'bbox', '/bbox', '|box_start|', '|box_end|', 'box', '/box'])
  tags.add(tag, true)

/** Takes the numbers of a place; false when anything but numbers, brackets and tags is there. */
function readNumbers(text: string): boolean {
  const { length } = text
  if (length > 200) return false
  let at = 0
  while (at < length) {
    const code = text.charCodeAt(at)
    if (isDigit(code) || ((code === 45 || code === 43 || code === 46) && isDigit(text.charCodeAt(at + 1)))) {
      const start = at++
      let decimal = code === 46
      let whole = isDigit(code) ? code - 48 : 0
      for (; at < length; at++) {
        const next = text.charCodeAt(at)
        if (isDigit(next)) whole = whole * 10 + next - 48
        else if (next === 46) decimal = true
        else break
      }
      if (!take(decimal ? Number(text.slice(start, at)) : code === 45 ? -whole : whole)) return false
    } else if (code === 60) {
      const close = text.indexOf('>', at)
      at = close > at && tags.find(text, at + 1, close) ? close + 1 : at + 1
    } else if (separates(code)) at++
    else return false
  }
  return true
}

/** Blanks, brackets, commas (also the full-width one), `>` and `;`. */
function separates(code: number): boolean {
  return (
    code === 44 ||
    code === 32 ||
    code === 40 ||
    code === 41 ||
    code === 91 ||
    code === 93 ||
    code === 62 ||
    code === 59 ||
    code === 9 ||
    code === 10 ||
    code === 13 ||
    code === 0xff0c
  )
}
