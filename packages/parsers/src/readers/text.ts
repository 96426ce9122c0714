import type { Dialect } from '../dialect.ts'
import type { Grammar } from '../grammar.ts'
import type { Intent } from '../intent.ts'
import type { LinkedList } from '../linked-list.ts'
import { Operation } from '../piece.ts'
import type { Reading } from '../reading.ts'
import { Finder } from './find.ts'
import { outline } from './outline.ts'
import { hasAction, Region } from './region.ts'

/** Reads a text by its grammar: splits it into regions, then finds the actions in each. */
export function readText(reading: Reading, grammar: Grammar): Dialect {
  const regions = outline(reading, grammar)
  const labelled = hasAction(regions) || splitLastAction(reading, grammar, regions)
  const finder = new Finder(reading, grammar)
  for (let region = regions.first; region !== undefined; region = region.next) {
    const { kind, start, end, separator, sealed } = region
    if (kind === 'action') finder.find(start, end, 'unknown', 'anywhere')
    else if (kind === 'free') finder.find(start, end, 'free', labelled ? 'nowhere' : grammar.unannounced)
    else if (kind === 'thought') {
      if (labelled || sealed) reading.add('thought', start, end, separator)
      else finder.find(start, end, 'thought', grammar.unannounced)
    } else if (kind === 'memory')
      new Finder(reading, { ...grammar, objects: false }).find(start, end, 'memory', 'nowhere')
    else answer(reading, start, end)
  }
  return grammar.dialect
}

/** An answer in prose ends the task with that message. */
function answer(reading: Reading, start: number, end: number): void {
  const message = reading.text.slice(start, end).trim()
  const finished: Intent = message ? { kind: 'finished', message } : { kind: 'finished' }
  reading.act(start, end, new Operation(finished, start, end))
}

/** If no line starts with `Action:`, the last occurrence within a line counts, if a call follows it. */
function splitLastAction(reading: Reading, grammar: Grammar, regions: LinkedList<Region>): boolean {
  const { last } = regions
  if (
    !grammar.calls ||
    last === undefined ||
    last.sealed ||
    (last.kind !== 'free' && last.kind !== 'thought')
  )
    return false
  const { text } = reading
  let start = -1
  let stop = -1
  for (const label of inlineLabels) {
    const at = text.lastIndexOf(label, last.end - 1)
    if (at <= start) continue
    start = at
    stop = at + label.length
  }
  if (start < last.start || text.indexOf('(', start) < 0) return false
  reading.mark(start, stop)
  regions.add(new Region('action', stop, last.end))
  last.end = start
  return true
}

const inlineLabels = ['Action:', 'Action：', '动作:', '动作：']
