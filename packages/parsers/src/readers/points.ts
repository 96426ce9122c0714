import { Point } from '../intent.ts'
import { codeAt, isDigit } from './characters.ts'
import { Call, Fields, oneOf, type Value } from './value.ts'
import { step, Words } from './words.ts'

const xNames = oneOf('x X')
const yNames = oneOf('y Y')

/** A point, or the centre of a box, in any spelling models use; undefined for whatever else it says. */
export function pointOf(value: Value | undefined): Point | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof Point) return value
  count = 0
  if (typeof value === 'string') return isAllNumbers(value) ? centre() : undefined
  if (value instanceof Fields) return pairOf(value.any(xNames), value.any(yNames))
  if (typeof value === 'object' && !(value instanceof Call)) return flatten(value, 0) ? centre() : undefined
  return undefined
}

/** A point whose two numbers stand apart, as numbers or as strings that are numbers. */
export function pairOf(x: Value | undefined, y: Value | undefined): Point | undefined {
  const first = single(x)
  const second = single(y)
  return first === undefined || second === undefined ? undefined : new Point(first, second)
}

function single(value: Value | undefined): number | undefined {
  if (typeof value === 'number') return value
  count = 0
  return typeof value === 'string' && isAllNumbers(value) && count === 1 ? numbers[0] : undefined
}

/** The numbers of the place that is being read: one array for all places, of which `count` are in use. */
const numbers: [number, number, number, number] = [0, 0, 0, 0]
let count = 0

function take(number: number): boolean {
  if (count === 4) return false
  numbers[count++] = number
  return true
}

function centre(): Point | undefined {
  if (count === 2) return new Point(numbers[0], numbers[1])
  if (count !== 4) return undefined
  return new Point((numbers[0] + numbers[2]) / 2, (numbers[1] + numbers[3]) / 2)
}

function flatten(values: readonly Value[], depth: number): boolean {
  for (const value of values) {
    const before = count
    if (typeof value === 'number') Number.isFinite(value) && take(value)
    else if (typeof value === 'string') {
      if (!isAllNumbers(value)) return false
    } else if (!Array.isArray(value) || depth >= 3 || !flatten(value, depth + 1)) return false
    else continue
    if (count === before) return false
  }
  return true
}

/** The tags that may stand around or between the numbers of a place. */
const tags = new Words<true>()
for (const tag of [
  'point',
  '/point',
  'bbox',
  '/bbox',
  '|box_start|',
  '|box_end|',
  '|begin_of_box|',
  '|end_of_box|',
  'box',
  '/box',
])
  tags.add(tag, true)

const longestPlace = 200

function isAllNumbers(text: string): boolean {
  return text.length <= longestPlace && readNumbers(text, 0, text.length) === text.length
}

/** Takes the numbers of a place, and answers where something else than numbers, brackets and tags stands. */
function readNumbers(text: string, at: number, end: number): number {
  while (at < end) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) {
      const start = at
      let whole = 0
      for (let digit = code; isDigit(digit); digit = codeAt(text, ++at, end)) whole = whole * 10 + digit - 48
      if (codeAt(text, at, end) === 46) {
        at = readDecimal(text, start, end)
        if (at === start) return at
      } else if (!take(whole)) return start
    } else if (separates(code)) at++
    else if (code === 60) at = tagEnd(text, at + 1, end)
    else if (code === 124 && tokenEnd(text, at) > at) at = tokenEnd(text, at)
    else {
      const after = readDecimal(text, at, end)
      if (after === at) return at
      at = after
    }
  }
  return at
}

/** Takes a number with a sign or a point in it, and answers where it ends. */
function readDecimal(text: string, start: number, end: number): number {
  let at = start
  const code = text.charCodeAt(at)
  if ((code === 45 || code === 43 || code === 46) && isDigit(codeAt(text, at + 1, end))) at++
  while (isDigit(codeAt(text, at, end)) || codeAt(text, at, end) === 46) at++
  const number = at === start ? Number.NaN : Number(text.slice(start, at))
  return Number.isFinite(number) && take(number) ? at : start
}

/** Where the last place that was read straight from a text ended. */
export let placeEnd = 0

/** Reads a place as nearly all are written, in whole numbers, up to the quote that ends it. */
export function readPlainPlace(text: string, at: number, end: number, quote: number): Point | undefined {
  let count = 0
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  end = Math.min(end, at + longestPlace)
  let code = codeAt(text, at, end)
  while (code !== quote) {
    if (isDigit(code)) {
      let whole = 0
      for (; isDigit(code); code = codeAt(text, ++at, end)) whole = whole * 10 + code - 48
      count++
      if (count === 1) a = whole
      else if (count === 2) b = whole
      else if (count === 3) c = whole
      else d = whole
      continue
    }
    if (code === 60) at = tagEnd(text, at + 1, end)
    else if (separates(code)) at++
    else return undefined
    code = codeAt(text, at, end)
  }
  placeEnd = at
  if (count === 2) return new Point(a, b)
  return count === 4 ? new Point((a + c) / 2, (b + d) / 2) : undefined
}

/** Where the tag whose name starts at `at` ends; a `<` that starts no tag stands for itself. */
function tagEnd(text: string, at: number, end: number): number {
  let node = tags.root
  for (let stop = at; stop < end; stop++) {
    const code = text.charCodeAt(stop)
    if (code === 62) return tags.at(node) ? stop + 1 : at
    node = step(node, code)
    if (node === 0) break
  }
  return at
}

/** Where the token at `at` ends that lost its `<` and `>`, or `at` when there is none. */
function tokenEnd(text: string, at: number): number {
  for (const token of ['|box_start|', '|box_end|']) if (text.startsWith(token, at)) return at + token.length
  return at
}

/** 1 for what may stand between numbers: blanks, brackets, commas, `>` and `;`. */
const separators = new Uint8Array(128)
for (const sign of ' \t\n\r()[],>;') separators[sign.charCodeAt(0)] = 1

/** Also the full-width comma. */
function separates(code: number): boolean {
  return code < 128 ? separators[code] === 1 : code === 0xff0c
}
