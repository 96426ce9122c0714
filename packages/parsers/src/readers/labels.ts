import type { Chain } from '../chain.ts'
import type { Reading } from '../reading.ts'
import { codeAt, isBlank, nextLine } from './characters.ts'
import { Region, type RegionKind } from './region.ts'
import type { Search } from './search.ts'
import { step, Words } from './words.ts'

const reflection = 'Reflection'

/** Parts a span by its labels. A label stands first in its line, after blanks and Markdown's `#` and `*`. */
export function labelled(
  reading: Reading,
  labels: Words<RegionKind>,
  regions: Chain<Region>,
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
  let reflected = false
  while (line < end) {
    let at = line
    let code = text.charCodeAt(at)
    while (code === 32 || code === 35 || code === 42 || isBlank(code)) code = codeAt(text, ++at, end)
    const word = at
    let node = labels.root
    for (let next = step(node, code); next > 0; next = step(node, code)) {
      node = next
      code = codeAt(text, ++at, end)
    }
    const next = labels.at(node)
    if (next !== undefined) {
      const stop = at
      while (code === 42 || code === 32) code = codeAt(text, ++at, end)
      if (code === 58 || code === 0xff1a) {
        if (start < line) regions.add(new Region(kind, start, line, joint))
        at++
        while (at < end && text.charCodeAt(at) === 42) at++
        reading.mark(line, at)
        joint = reflected && text.startsWith('Action_Summary', word) ? ', ' : '\n'
        kind = next
        start = at
        reflected = stop - word === reflection.length && text.startsWith(reflection, word)
      }
    }
    line = lines === undefined ? nextLine(text, at, end) : lines.after(at, end)
    if (tokens !== undefined) line = tokens.after(at, line)
  }
  if (start < end) regions.add(new Region(kind, start, end, joint))
}

/** The spellings of each label: as given, in small letters and in capitals. */
export function labelWords(kinds: Partial<Record<RegionKind, readonly string[]>>): Words<RegionKind> {
  const words = new Words<RegionKind>()
  for (const kind of ['thought', 'memory', 'action', 'answer', 'free'] as const) {
    for (const name of kinds[kind] ?? []) {
      words.add(name, kind)
      words.add(name.toLowerCase(), kind)
      words.add(name.toUpperCase(), kind)
    }
  }
  return words
}
