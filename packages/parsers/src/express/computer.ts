import type { Action } from '@sandglass/protocol'
import type { Intent, Point } from '../intent.ts'
import type { Length } from '../screen.ts'
import type { Ruler } from './ruler.ts'

type Scroll = Extract<Action, { type: 'mouse:scroll' }>
type Move = Extract<Action, { type: 'mouse:move' }>
type Click = Extract<Action, { type: (typeof clicks)[number] }>

const clicks = ['mouse:click', 'mouse:doubleClick', 'mouse:tripleClick'] as const

/** The desktop action for an intent; undefined if the contract has none. */
export function toComputerAction(intent: Intent, ruler: Ruler): Action | undefined {
  switch (intent.kind) {
    case 'tap': {
      const { at, button, hold, relative } = intent
      if (at !== undefined && !relative && !ruler.contains(at)) return undefined
      const type = clicks[intent.count - 1] ?? 'mouse:click'
      const action: Click = {
        type,
        x: across(at, ruler, !relative),
        y: down(at, ruler, !relative),
        button,
      }
      if (hold !== undefined) action.holdKey = hold
      if (at === undefined || relative) action.relative = true
      return action
    }
    case 'move': {
      const { at, relative, hold } = intent
      if (!relative && !ruler.contains(at)) return undefined
      const action: Move = {
        type: 'mouse:move',
        x: across(at, ruler, !relative),
        y: down(at, ruler, !relative),
      }
      if (hold !== undefined) action.holdKey = hold
      if (relative) action.relative = true
      return action
    }
    case 'drag':
      return drag(intent, ruler)
    case 'stroke':
      return drag({ kind: 'drag', from: intent.from, to: intent.to, button: 1 }, ruler)
    case 'scroll': {
      const { at, hold } = intent
      if (at !== undefined && !ruler.contains(at)) return undefined
      const action: Scroll = {
        type: 'mouse:scroll',
        x: across(at, ruler),
        y: down(at, ruler),
        stepVertical: wholeSteps(intent.down),
        stepHorizontal: wholeSteps(intent.right),
      }
      if (hold !== undefined) action.holdKey = hold
      if (at === undefined) action.relative = true
      return action
    }
    case 'keyDown':
      return { type: 'key:down', key: intent.key }
    case 'keyUp':
      return { type: 'key:up', key: intent.key }
    default:
      return undefined
  }
}

function drag(intent: Extract<Intent, { kind: 'drag' }>, ruler: Ruler): Action | undefined {
  const { from, to, relative } = intent
  if ((from !== undefined && !ruler.contains(from)) || (!relative && !ruler.contains(to))) return undefined
  const action: Action = {
    type: 'mouse:drag',
    startX: across(from, ruler),
    startY: down(from, ruler),
    endX: across(to, ruler, !relative),
    endY: down(to, ruler, !relative),
    button: intent.button,
  }
  if (intent.hold !== undefined) action.holdKey = intent.hold
  if (from === undefined) action.startRelative = true
  if (relative) action.endRelative = true
  return action
}

/** The x coordinate of a point, or its offset from the pointer. Without a point it is the pointer's position. */
function across(at: Point | undefined, ruler: Ruler, inside = true): Length {
  return at === undefined ? { type: 'px', value: 0 } : ruler.across(at.x, inside)
}

function down(at: Point | undefined, ruler: Ruler, inside = true): Length {
  return at === undefined ? { type: 'px', value: 0 } : ruler.down(at.y, inside)
}

/** At least one step in the requested direction, and at most what the contract allows. */
function wholeSteps(steps: number): number {
  const whole = Math.max(1, Math.min(1000, Math.round(Math.abs(steps))))
  return steps > 0 ? whole : steps < 0 ? -whole : 0
}
