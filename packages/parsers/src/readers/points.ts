import { Point } from '../intent.ts'
import { codeAt, isDigit } from './characters.ts'
import { nextNode, Trie } from './trie.ts'
import { Call, Fields, oneOf, type Value } from './value.ts'

const xNames = oneOf('x X')
const yNames = oneOf('y Y')

/** A point, or the centre of a box, in any spelling that models use; undefined for anything else. */
export function pointOf(value: Value | undefined): Point | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof Point) return value
  count = 0
  if (typeof value === 'string') return isAllNumbers(value) ? centre() : undefined
  if (value instanceof Fields) return pairOf(value.any(xNames), value.any(yNames))
  if (typeof value === 'object' && !(value instanceof Call)) return flatten(value, 0) ? centre() : undefined
  return undefined
}

/** A point from two separate values, which are numbers or numeric strings. */
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

/** The numbers of the point being read: one array for all points, of which `count` are in use. */
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

/** Tags that may occur around or between the numbers of a point. */
const tags = new Trie<true>()
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

const maxPointLength = 200

function isAllNumbers(text: string): boolean {
  return text.length <= maxPointLength && readNumbers(text, 0, text.length) === text.length
}

/** Collects the numbers of a point and returns where something other than numbers, brackets and tags starts. */
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

/** Collects a number with a sign or decimal point and returns where it ends. */
function readDecimal(text: string, start: number, end: number): number {
  let at = start
  const code = text.charCodeAt(at)
  if ((code === 45 || code === 43 || code === 46) && isDigit(codeAt(text, at + 1, end))) at++
  while (isDigit(codeAt(text, at, end)) || codeAt(text, at, end) === 46) at++
  const number = at === start ? Number.NaN : Number(text.slice(start, at))
  return Number.isFinite(number) && take(number) ? at : start
}

/** The end of the last point that was read directly from a text. */
export let placeEnd = 0

/** Fast path for the most common form of points, with whole numbers only, up to the closing quote. */
export function readPlainPlace(text: string, at: number, end: number, quote: number): Point | undefined {
  let count = 0
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  end = Math.min(end, at + maxPointLength)
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

/** The end of the tag whose name starts at `at`; a `<` that starts no tag is skipped. */
function tagEnd(text: string, at: number, end: number): number {
  let node = tags.root
  for (let stop = at; stop < end; stop++) {
    const code = text.charCodeAt(stop)
    if (code === 62) return tags.at(node) ? stop + 1 : at
    node = nextNode(node, code)
    if (node === 0) break
  }
  return at
}

/** The end of a token at `at` that lost its `<` and `>`, or `at` if there is none. */
function tokenEnd(text: string, at: number): number {
  for (const token of ['|box_start|', '|box_end|']) if (text.startsWith(token, at)) return at + token.length
  return at
}

/** 1 for characters that may occur between numbers: whitespace, brackets, commas, `>` and `;`. */
const separators = new Uint8Array(128)
for (const sign of ' \t\n\r()[],>;') separators[sign.charCodeAt(0)] = 1

/** Includes the full-width comma. */
function separates(code: number): boolean {
  return code < 128 ? separators[code] === 1 : code === 0xff0c
}
