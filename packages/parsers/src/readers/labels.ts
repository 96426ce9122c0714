import type { Reading } from '../reading.ts'
import { isBlank, isLetter, nextLine } from './characters.ts'
import type { Region, RegionKind } from './outline.ts'
import type { Search } from './search.ts'

const longestLabel = 20

/** Parts a span by its labels. A label stands first in its line, after blanks and Markdown's `#` and `*`. */
export function labelled(
  reading: Reading,
  labels: ReadonlyMap<string, RegionKind>,
  regions: Region[],
  from: number,
  end: number,
  lines?: Search,
  tokens?: Search,
): void {
  const { text } = reading
  let kind: RegionKind = 'free'
  let joint = '\n'
  let start = from
  let line = from
  let last = ''
  while (line < end) {
    let at = line
    let code = text.charCodeAt(at)
    while (at < end && (code === 32 || code === 35 || code === 42 || isBlank(code)))
      code = text.charCodeAt(++at)
    const word = at
    while (at < end && at - word < longestLabel && (isLetter(code) || code === 95))
      code = text.charCodeAt(++at)
    const stop = at
    if (at > word) while (at < end && (code === 42 || code === 32)) code = text.charCodeAt(++at)
    if (stop > word && at < end && (code === 58 || code === 0xff1a)) {
      const name = text.slice(word, stop)
      const next = labels.get(name)
      if (next !== undefined) {
        if (start < line) regions.push({ kind, start, end: line, joint })
        at++
        while (at < end && text.charCodeAt(at) === 42) at++
        reading.mark(word, at)
        joint = last === 'Reflection' && name === 'Action_Summary' ? ', ' : '\n'
        kind = next
        start = at
        last = name
      }
    }
    line = lines === undefined ? Math.min(nextLine(text, at), end) : lines.after(at, end)
    if (tokens !== undefined) line = tokens.after(at, line)
  }
  if (start < end) regions.push({ kind, start, end, joint })
}

/** The spellings of each label: as given, in small letters and in capitals. */
export function labelMap(kinds: Partial<Record<RegionKind, readonly string[]>>): Map<string, RegionKind> {
  const map = new Map<string, RegionKind>()
  for (const kind of ['thought', 'memory', 'action', 'answer', 'free'] as const) {
    for (const name of kinds[kind] ?? []) {
      map.set(name, kind)
      map.set(name.toLowerCase(), kind)
      map.set(name.toUpperCase(), kind)
    }
  }
  return map
}
