import type { Point } from '../intent.ts'
import { isDigit } from './characters.ts'
import { Call, Fields, oneOf, type Value } from './value.ts'
import { Words } from './words.ts'

const xNames = oneOf('x X')
const yNames = oneOf('y Y')

/** A point, or the centre of a box, in any spelling models use; undefined for whatever else it says. */
export function pointOf(value: Value | undefined): Point | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return centre(numbersIn(value))
  if (value instanceof Fields) return pairOf(value.any(xNames), value.any(yNames))
  if (typeof value === 'object' && !(value instanceof Call)) {
    const numbers: number[] = []
    return flatten(value, numbers, 0) ? centre(numbers) : undefined
  }
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
  if (typeof value !== 'string') return undefined
  const numbers = numbersIn(value)
  return numbers?.length === 1 ? numbers[0] : undefined
}

function centre(numbers: number[] | undefined): Point | undefined {
  if (numbers === undefined) return undefined
  const left = numbers[0]
  const top = numbers[1]
  const right = numbers[2]
  const bottom = numbers[3]
  if (left === undefined || top === undefined) return undefined
  if (numbers.length === 2) return [left, top]
  if (numbers.length !== 4 || right === undefined || bottom === undefined) return undefined
  return [(left + right) / 2, (top + bottom) / 2]
}

function flatten(values: readonly Value[], into: number[], depth: number): boolean {
  for (const value of values) {
    if (typeof value === 'number') into.push(value)
    else if (typeof value === 'string') {
      const numbers = numbersIn(value)
      if (numbers === undefined || numbers.length === 0) return false
      into.push(...numbers)
    } else if (Array.isArray(value) && depth < 3) {
      if (!flatten(value, into, depth + 1)) return false
    } else return false
    if (into.length > 4) return false
  }
  return true
}

/** The tags that may stand around or between the numbers of a place. */
const tags = new Words<true>()
for (const tag of ['point', '/point', 'bbox', '/bbox', '|box_start|', '|box_end|', 'box', '/box'])
  tags.add(tag, true)

/** The numbers of a place, at most four; undefined when anything but numbers, brackets and tags is there. */
export function numbersIn(text: string): number[] | undefined {
  if (text.length > 200) return undefined
  const numbers: number[] = []
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (isDigit(code) || ((code === 45 || code === 43 || code === 46) && isDigit(text.charCodeAt(at + 1)))) {
      const start = at++
      let decimal = code === 46
      let whole = isDigit(code) ? code - 48 : 0
      for (; at < text.length; at++) {
        const next = text.charCodeAt(at)
        if (isDigit(next)) whole = whole * 10 + next - 48
        else if (next === 46) decimal = true
        else break
      }
      const number = decimal ? Number(text.slice(start, at)) : code === 45 ? -whole : whole
      if (!Number.isFinite(number) || numbers.length === 4) return undefined
      numbers.push(number)
    } else if (code === 60) {
      const close = text.indexOf('>', at)
      at = close > at && tags.find(text, at + 1, close) ? close + 1 : at + 1
    } else if (separates(code)) at++
    else return undefined
  }
  return numbers
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
