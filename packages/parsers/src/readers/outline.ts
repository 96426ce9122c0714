import { LinkedList } from '../linked-list.ts'
import type { Reading } from '../reading.ts'
import { labelEnd, labelled, readLabel } from './labels.ts'
import { isTagPart } from './markup.ts'
import { Region, type RegionKind } from './region.ts'
import { Search } from './search.ts'
import type { Trie } from './trie.ts'

/** How a family labels the parts of its texts. */
export interface Layout {
  /** The kind of text after a label: a word and a colon at the start of a line. */
  readonly labels: Trie<RegionKind>
  /** The kind of text inside a tag, by its lowercase name; `think*` matches all names with that prefix. */
  readonly tags: ReadonlyMap<string, RegionKind>
  /** A token after which a label is recognised as at the start of a line. */
  readonly lineToken?: string
}

/** Splits a text from `from` on at its tags, and the text outside of tags at its labels. Tags and labels are markup. */
export function outline(reading: Reading, layout: Layout, from = 0): LinkedList<Region> {
  const first = layout.tags.size === 0 ? -1 : firstTag(reading.text, from)
  const regions = new LinkedList<Region>()
  if (first < 0 && layout.lineToken === undefined)
    labelled(reading, layout.labels, regions, from, reading.text.length)
  else new Outline(reading, layout, regions).read(first, from)
  return regions
}

/** The first position that may be a tag of a layout; most texts have none. */
function firstTag(text: string, from: number): number {
  let at = text.indexOf('<', from)
  while (at >= 0 && !mayStartTag(text.charCodeAt(text.charCodeAt(at + 1) === 47 ? at + 2 : at + 1))) {
    at = text.indexOf('<', at + 1)
  }
  return at
}

/** What ends a thought without a closing tag. */
const openers = [
  '\nAction:',
  '\nAction：',
  '\n动作：',
  '\n动作:',
  '<tool_call',
  '<seed:tool_call',
  '<answer',
  '<action>',
  '<|begin_of_box|>',
  '\n```',
]

class Outline {
  readonly #reading: Reading
  readonly #layout: Layout
  readonly #regions: LinkedList<Region>
  readonly #searches = new Map<string, Search>()
  /** All regions up to this one are known to be thoughts. */
  #settled: Region | undefined

  constructor(reading: Reading, layout: Layout, regions: LinkedList<Region>) {
    this.#reading = reading
    this.#layout = layout
    this.#regions = regions
  }

  read(first: number, from: number): void {
    const { text } = this.#reading
    let at = first
    while (at >= 0) {
      const closing = text.charCodeAt(at + 1) === 47
      const start = at + (closing ? 2 : 1)
      const stop = mayStartTag(text.charCodeAt(start)) ? tagStop(text, start) : start
      const kind =
        text.charCodeAt(stop) === 62 && stop > start ? this.#kind(text.slice(start, stop)) : undefined
      if (kind === undefined || (closing && kind !== 'thought')) {
        at = text.indexOf('<', at + 1)
        continue
      }
      if (closing) this.#allThought(from, at)
      else this.#labelled(from, at)
      this.#reading.mark(at, stop + 1)
      from = closing ? stop + 1 : this.#inside(kind, text.slice(start, stop), stop + 1)
      at = text.indexOf('<', from)
    }
    this.#labelled(from, text.length)
  }

  /** Handles a closing tag without an opening one: that was part of the prompt, so everything before it was inside. */
  #allThought(from: number, end: number): void {
    const regions = this.#regions
    let region = this.#settled === undefined ? regions.first : this.#settled.next
    for (; region !== undefined; region = region.next) {
      if (region.kind !== 'memory') region.kind = 'thought'
    }
    this.#settled = regions.last
    regions.add(new Region('thought', from, end, '\n', true))
  }

  /** Reads the content of a tag and returns where the text after it starts. */
  #inside(kind: RegionKind, name: string, start: number): number {
    const { text } = this.#reading
    const close = this.#search(`</${name.slice(0, thinkingLength(name) || name.length)}`).next(start)
    const end = close >= 0 ? close : kind === 'thought' ? this.#opener(start) : text.length
    if (kind === 'action' && this.#announces(start, end)) this.#labelled(start, end)
    else this.#regions.add(new Region(kind, start, end, '\n', true))
    if (close < 0) return end
    const stop = tagStop(text, close + 2)
    const after = text.charCodeAt(stop) === 62 ? stop + 1 : stop
    this.#reading.mark(close, after)
    return after
  }

  /** Whether a label inside the span announces an action. */
  #announces(start: number, end: number): boolean {
    const { text } = this.#reading
    const lines = this.#search('\n')
    for (let line = start; line < end; line = lines.after(labelEnd, end)) {
      if (readLabel(text, line, end, this.#layout.labels) === 'action') return true
    }
    return false
  }

  #labelled(start: number, end: number): void {
    const { labels, lineToken } = this.#layout
    const tokens = lineToken === undefined ? undefined : this.#search(lineToken)
    labelled(this.#reading, labels, this.#regions, start, end, this.#search('\n'), tokens)
  }

  #opener(from: number): number {
    let end = this.#reading.text.length
    for (const opener of openers) {
      const at = this.#search(opener).next(from)
      if (at >= 0 && at < end) end = at
    }
    return end
  }

  #search(needle: string): Search {
    let search = this.#searches.get(needle)
    if (search === undefined) {
      search = new Search(this.#reading.text, needle)
      this.#searches.set(needle, search)
    }
    return search
  }

  #kind(name: string): RegionKind | undefined {
    const { tags } = this.#layout
    return tags.get(name.toLowerCase()) ?? (thinkingLength(name) > 0 ? tags.get('think*') : undefined)
  }
}

/**
 * The length of the prefix that thinking tags share: `<think>`, `<thinkt>` and `<think_never_used_…>` all close each
 * other. For `<seed:think>` it includes the prefix; 0 for other tags.
 */
function thinkingLength(name: string): number {
  const start = name.indexOf(':') + 1
  return name.slice(start, start + 5).toLowerCase() === 'think' ? start + 5 : 0
}

function tagStop(text: string, start: number): number {
  let stop = start
  while (stop - start < 80 && isTagPart(text.charCodeAt(stop))) stop++
  return stop
}

/** Whether a character can start the name of a tag that any layout uses. */
function mayStartTag(code: number): boolean {
  const lower = code | 32
  return (
    lower === 116 ||
    lower === 114 ||
    lower === 97 ||
    lower === 99 ||
    lower === 103 ||
    lower === 109 ||
    lower === 115
  )
}
