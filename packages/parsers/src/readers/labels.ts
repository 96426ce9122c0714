import type { LinkedList } from '../linked-list.ts'
import type { Reading } from '../reading.ts'
import { codeAt, isBlank, nextLine } from './characters.ts'
import { Region, type RegionKind } from './region.ts'
import type { Search } from './search.ts'
import { nextNode, Trie } from './trie.ts'

/** The word of the last label, and where its content starts. */
export let wordStart = 0
export let wordStop = 0
export let labelEnd = 0

/**
 * Reads the label of the line at `at` and returns what it announces. A label is at the start of a line, after
 * whitespace and Markdown's `#` and `*`. It ends with a colon, or with the `#` or the line of a heading. Without a
 * label, `labelEnd` is where reading stopped.
 */
export function readLabel(
  text: string,
  at: number,
  end: number,
  labels: Trie<RegionKind>,
): RegionKind | undefined {
  let code = codeAt(text, at, end)
  while (code === 32 || code === 35 || code === 42 || isBlank(code)) code = codeAt(text, ++at, end)
  wordStart = at
  const isHeading = at >= 3 && text.charCodeAt(at - 2) === 35 && text.charCodeAt(at - 3) === 35
  let kind: RegionKind | undefined
  if (code > 127) {
    const other = labels.other(text, at)
    if (other !== undefined) {
      kind = other[1]
      at += other[0].length
      code = codeAt(text, at, end)
    }
  } else {
    let node = labels.root
    for (let next = nextNode(node, code); next > 0; next = nextNode(node, code)) {
      node = next
      code = codeAt(text, ++at, end)
    }
    kind = labels.at(node)
  }
  wordStop = at
  while (code === 42 || code === 32) code = codeAt(text, ++at, end)
  if (code === 58 || code === 0xff1a) {
    if (kind !== undefined) at++
    while (kind !== undefined && codeAt(text, at, end) === 42) at++
  } else if (isHeading && kind !== undefined) {
    while (code === 35) code = codeAt(text, ++at, end)
    if (code !== 10 && code !== 13) kind = undefined
  } else kind = undefined
  labelEnd = at
  return kind
}

const reflection = 'Reflection'

/** Splits a span at its labels. */
export function labelled(
  reading: Reading,
  labels: Trie<RegionKind>,
  regions: LinkedList<Region>,
  from: number,
  end: number,
  lines?: Search,
  tokens?: Search,
): void {
  const { text } = reading
  let kind: RegionKind = 'free'
  let separator = '\n'
  let start = from
  let line = from
  let reflected = false
  while (line < end) {
    const next = readLabel(text, line, end, labels)
    const at = labelEnd
    if (next !== undefined) {
      if (start < line) regions.add(new Region(kind, start, line, separator))
      reading.mark(line, at)
      separator = reflected && text.startsWith('Action_Summary', wordStart) ? ', ' : '\n'
      kind = next
      start = at
      reflected = wordStop - wordStart === reflection.length && text.startsWith(reflection, wordStart)
    }
    line = lines === undefined ? nextLine(text, at, end) : lines.after(at, end)
    if (tokens !== undefined) line = tokens.after(at, line)
  }
  if (start < end) regions.add(new Region(kind, start, end, separator))
}

/** The labels of models that answer in Chinese. */
export const chinese = {
  thought: ['思考', '想法', '思路', '反思', '总结', '观察', '分析'],
  action: ['动作', '操作', '行动'],
  memory: ['记忆'],
} as const

/** The spellings of each label: as given, in lowercase and in uppercase. */
export function labelWords(kinds: Partial<Record<RegionKind, readonly string[]>>): Trie<RegionKind> {
  const words = new Trie<RegionKind>()
  for (const kind of ['thought', 'memory', 'action', 'answer', 'free'] as const) {
    for (const name of kinds[kind] ?? []) {
      words.add(name, kind)
      words.add(name.toLowerCase(), kind)
      words.add(name.toUpperCase(), kind)
    }
  }
  return words
}
