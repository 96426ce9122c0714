import type { Action } from '@sandglass/protocol'
import type { Intent, Point } from '../intent.ts'
import type { Length } from '../screen.ts'
import type { Ruler } from './ruler.ts'

type Scroll = Extract<Action, { type: 'mouse:scroll' }>
type Click = Extract<Action, { type: (typeof clicks)[number] }>

interface Spot {
  readonly x: Length
  readonly y: Length
  readonly relative?: boolean
}

const here: Spot = { x: zero(), y: zero(), relative: true }
const clicks = ['mouse:click', 'mouse:doubleClick', 'mouse:tripleClick'] as const

/** An intent as a desktop can carry it out; undefined when the contract has no action that does the same. */
export function onComputer(intent: Intent, ruler: Ruler): Action | undefined {
  switch (intent.kind) {
    case 'tap': {
      const at = intent.relative && intent.at ? away(intent.at, ruler) : placeOrPointer(intent.at, ruler)
      if (at === undefined) return undefined
      const type = clicks[intent.count - 1] ?? 'mouse:click'
      const { x, y, relative } = at
      const action: Click = { type, x, y, button: intent.button }
      if (intent.hold !== undefined) action.holdKey = intent.hold
      if (relative) action.relative = true
      return action
    }
    case 'move': {
      if (intent.relative) return { type: 'mouse:move', ...away(intent.at, ruler) }
      const at = ruler.place(intent.at)
      return at && { type: 'mouse:move', ...at }
    }
    case 'drag':
      return drag(intent, ruler)
    case 'stroke':
      return drag({ kind: 'drag', from: intent.from, to: intent.to, button: 1 }, ruler)
    case 'scroll': {
      const at = placeOrPointer(intent.at, ruler)
      if (at === undefined) return undefined
      const action: Scroll = {
        type: 'mouse:scroll',
        x: at.x,
        y: at.y,
        stepVertical: wholeSteps(intent.down),
        stepHorizontal: wholeSteps(intent.right),
      }
      if (intent.hold !== undefined) action.holdKey = intent.hold
      if (at.relative) action.relative = true
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
  const to = intent.relative ? ruler.offset(intent.to) : ruler.place(intent.to)
  if (to === undefined) return undefined
  const from = intent.from === undefined ? here : ruler.place(intent.from)
  if (from === undefined) return undefined
  const action: Action = {
    type: 'mouse:drag',
    startX: from.x,
    startY: from.y,
    endX: to.x,
    endY: to.y,
    button: intent.button,
  }
  if (intent.hold !== undefined) action.holdKey = intent.hold
  if (from === here) action.startRelative = true
  if (intent.relative) action.endRelative = true
  return action
}

function zero(): Length {
  return { type: 'px', value: 0 }
}

function away(point: Point, ruler: Ruler): Spot {
  return { ...ruler.offset(point), relative: true }
}

function placeOrPointer(point: Point | undefined, ruler: Ruler): Spot | undefined {
  return point === undefined ? here : ruler.place(point)
}

/** At least one step in a direction that was asked for, at most what the contract allows. */
function wholeSteps(steps: number): number {
  const whole = Math.max(1, Math.min(1000, Math.round(Math.abs(steps))))
  return steps > 0 ? whole : steps < 0 ? -whole : 0
}
