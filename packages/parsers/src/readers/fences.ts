import { isBlank } from './characters.ts'
import type { Search } from './search.ts'

/** Splits a span at its fences of three backticks: text, fence, code, fence, text, … */
export function fencesIn(
  text: string,
  fences: Search,
  start: number,
  end: number,
  visit: (kind: 'text' | 'fence' | 'code', start: number, end: number) => void,
): void {
  let inside = false
  let at = start
  while (at < end) {
    const fence = fences.next(at)
    const stop = fence < 0 || fence + 3 > end ? end : fence
    visit(inside ? 'code' : 'text', at, stop)
    if (stop === end) return
    const after = inside ? fence + 3 : Math.min(languageEnd(text, fence + 3), end)
    visit('fence', fence, after)
    inside = !inside
    at = after
  }
}

/** An opening fence may name its language in lowercase at the end of its line. */
function languageEnd(text: string, start: number): number {
  let at = start
  while (at - start < 20 && text.charCodeAt(at) >= 97 && text.charCodeAt(at) <= 122) at++
  if (text.charCodeAt(at) === 51) at++
  return at < text.length && !isBlank(text.charCodeAt(at)) ? start : at
}
