import { codeAt, startsName } from './characters.ts'
import { nameIn, nameStop, readName } from './names.ts'
import { isPlaceName } from './place-names.ts'
import { placeEnd, readPlainPlace } from './points.ts'
import { decodeEscapes } from './quoted.ts'
import type { Fields } from './value.ts'

/**
 * Fast path for the most common form of arguments, `name='value', name='value')` at the end of a line. Returns the
 * position after it, or 0 for all other forms, which need the slower `readArguments`.
 */
export function readPlainArguments(text: string, at: number, end: number, fields: Fields): number {
  for (;;) {
    let code = codeAt(text, at, end)
    while (code === 32) code = codeAt(text, ++at, end)
    const start = at
    if (!startsName(code)) return 0
    const number = readName(text, at, end, false)
    at = nameStop
    if (codeAt(text, at, end) !== 61) return 0
    const name = nameIn(text, start, at, number)
    const quote = codeAt(text, ++at, end)
    if ((quote !== 39 && quote !== 34) || codeAt(text, at + 1, end) === quote) return 0
    const from = ++at
    const place = isPlaceName(number) ? readPlainPlace(text, from, end, quote) : undefined
    if (place !== undefined) {
      at = placeEnd
      fields.add(name, place, number)
    } else {
      at = text.indexOf(quote === 39 ? "'" : '"', from)
      if (at < 0 || at >= end) return 0
      let content = text.slice(from, at)
      if (content.includes('\\')) {
        at = unescapedQuote(text, from, end, quote)
        if (at >= end) return 0
        content = decodeEscapes(text.slice(from, at))
      }
      fields.add(name, content, number)
    }
    code = codeAt(text, ++at, end)
    if (code === 41) return ++at >= end || text.charCodeAt(at) === 10 ? at : 0
    if (code !== 44) return 0
    at++
  }
}

/** The first quote that is not escaped. */
function unescapedQuote(text: string, at: number, end: number, quote: number): number {
  for (let code = codeAt(text, at, end); code !== quote && at < end; code = codeAt(text, ++at, end))
    if (code === 92) at++
  return at
}
