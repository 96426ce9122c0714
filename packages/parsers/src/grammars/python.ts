import type { Dialect } from '../dialect.ts'
import type { Family } from '../family.ts'
import type { Kind } from '../piece.ts'
import { fencesIn } from '../readers/fences.ts'
import { labelWords } from '../readers/labels.ts'
import { type Layout, outline } from '../readers/outline.ts'
import { readPython } from '../readers/python.ts'
import { hasAction, type Region } from '../readers/region.ts'
import type { Resize } from '../readers/resize.ts'
import { Search } from '../readers/search.ts'
import type { Call } from '../readers/value.ts'
import type { Reading } from '../reading.ts'
import { understandCall } from '../vocabulary/pyautogui.ts'

const layout: Layout = {
  labels: labelWords({
    thought: ['Thought', 'Thoughts', 'Action', 'Observation', 'Reflection', 'Step'],
    action: ['Code'],
    memory: ['Memory'],
  }),
  tags: new Map([['think*', 'thought']]),
}

/** A family that writes calls of pyautogui and of the `computer` object around it, in a code fence or not. */
export function pythonFamily(about: string, resize: Resize): Family {
  const dialect: Dialect = {
    units: 'pixels-or-fractions',
    resize,
    waitMs: 20_000,
    clickAtPointer: true,
    blankBetweenKeys: 'chord',
    pressHolds: false,
    newLineIsEnter: 'always',
  }
  const understand = (call: Call) => understandCall(call, dialect)
  return {
    about,
    read: reading => {
      const regions = outline(reading, layout, readThinking(reading))
      const fences = new Search(reading.text, '```')
      const fenced = fences.next(0) >= 0
      const labelled = hasAction(regions)
      for (let region = regions.first; region !== undefined; region = region.next) {
        const rest = restOf(region)
        const { start, end, separator } = region
        if (region.sealed) reading.add(rest, start, end)
        else if (fenced) {
          fencesIn(reading.text, fences, start, end, (kind, start, end) => {
            if (kind === 'code') readPython(reading, start, end, 'unknown', understand)
            else if (kind === 'fence') reading.mark(start, end)
            else reading.add(rest, start, end, separator)
          })
        } else if (!labelled || region.kind === 'action') readPython(reading, start, end, rest, understand)
        else reading.add(rest, start, end, separator)
      }
      return dialect
    },
  }
}

function restOf({ kind }: Region): Kind {
  return kind === 'thought' || kind === 'memory' || kind === 'free' ? kind : 'unknown'
}

const open = '◁think▷'
const close = '◁/think▷'

/** Reads Kimi's own thinking marks; returns where the text after them starts. */
function readThinking(reading: Reading): number {
  const { text } = reading
  const end = text.indexOf(close)
  if (end < 0) return 0
  const start = text.indexOf(open)
  const inside = start >= 0 && start < end ? start + open.length : 0
  if (inside > 0) {
    reading.add('free', 0, start)
    reading.mark(start, inside)
  }
  reading.add('thought', inside, end)
  reading.mark(end, end + close.length)
  return end + close.length
}
