import type { Action } from '@sandglass/protocol'
import type { Direction, Intent, Point } from '../intent.ts'
import type { Length } from '../screen.ts'
import type { Ruler } from './ruler.ts'

/** How far a finger goes for a swipe or a scroll that names no distance: three tenths of the screen. */
const usualDistance: Length = { type: '/', numerator: 300, denominator: 1000 }
const middle = { x: half(), y: half() }

/** An intent as a phone can carry it out; undefined when the contract has no action that does the same. */
export function onMobile(intent: Intent, ruler: Ruler): Action | undefined {
  switch (intent.kind) {
    case 'tap': {
      const plain = intent.button === 1 && intent.count === 1 && intent.hold === undefined && !intent.relative
      const at = plain && intent.at ? ruler.place(intent.at) : undefined
      return at && { type: 'touch:tap', ...at }
    }
    case 'longPress': {
      const at = ruler.place(intent.at)
      return at && { type: 'touch:longPress', ...at, duration: intent.duration }
    }
    case 'drag':
      if (intent.from === undefined || intent.relative || intent.button !== 1 || intent.hold) return undefined
      return stroke(intent.from, intent.to, ruler)
    case 'stroke':
      return stroke(intent.from, intent.to, ruler)
    case 'swipe':
      return swipe(intent.at, intent.direction, intent.distance, ruler)
    case 'scroll': {
      if (intent.at && intent.to) return stroke(intent.at, intent.to, ruler)
      const direction = fingerDirection(intent.down, intent.right)
      return direction && swipe(intent.at, direction, intent.distance, ruler)
    }
    case 'keys':
      return pressedOnPhone(intent.keys)
    case 'back':
      return { type: 'android:back' }
    case 'home':
      return { type: 'android:home' }
    case 'listApps':
      return { type: 'os:listApps' }
    case 'startApp':
      return { type: 'os:startAppByName', name: intent.name }
    case 'closeApp':
      return { type: 'os:closeAppByName', name: intent.name }
    case 'startPackage':
      return { type: 'os:startApp', packageName: intent.name }
    case 'closePackage':
      return { type: 'os:closeApp', packageName: intent.name }
    default:
      return undefined
  }
}

/** The keys of a phone's own that a model may name as keys. */
function pressedOnPhone(keys: string): Action | undefined {
  if (keys === 'Home' || keys === 'XF86HomePage') return { type: 'android:home' }
  return keys === 'XF86Back' ? { type: 'android:back' } : undefined
}

function half(): Length {
  return { type: '/', numerator: 1, denominator: 2 }
}

function stroke(from: Point, to: Point, ruler: Ruler): Action | undefined {
  const start = ruler.place(from)
  const end = ruler.place(to)
  return start && end && { type: 'touch:drag', startX: start.x, startY: start.y, endX: end.x, endY: end.y }
}

function swipe(
  point: Point | undefined,
  direction: Direction,
  length: number | undefined,
  ruler: Ruler,
): Action | undefined {
  const at = point === undefined ? middle : ruler.place(point)
  const axis = direction === 'left' || direction === 'right' ? 'x' : 'y'
  const distance = length === undefined || length <= 0 ? usualDistance : ruler.distance(length, axis)
  return at && { type: 'touch:swipe', ...at, direction, distance }
}

/** Content goes down when the finger goes up. A phone scrolls along one axis at a time. */
function fingerDirection(down: number, right: number): Direction | undefined {
  if (right === 0 && down !== 0) return down > 0 ? 'up' : 'down'
  if (down === 0 && right !== 0) return right > 0 ? 'left' : 'right'
  return undefined
}
