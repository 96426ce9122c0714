import type { Action } from '@sandglass/protocol'
import type { Direction, Intent, Point } from '../intent.ts'
import type { Length } from '../screen.ts'
import type { Ruler } from './ruler.ts'

/** The default distance of a swipe or scroll: three tenths of the screen. */
const defaultDistance: Length = { type: '/', numerator: 300, denominator: 1000 }

/** The phone action for an intent; undefined if the contract has none. */
export function toMobileAction(intent: Intent, ruler: Ruler): Action | undefined {
  switch (intent.kind) {
    case 'tap': {
      const plain = intent.button === 1 && intent.count === 1 && intent.hold === undefined && !intent.relative
      const { at } = intent
      if (!plain || at === undefined || !ruler.contains(at)) return undefined
      return { type: 'touch:tap', x: ruler.across(at.x, true), y: ruler.down(at.y, true) }
    }
    case 'longPress': {
      const { at, duration } = intent
      if (!ruler.contains(at)) return undefined
      return { type: 'touch:longPress', x: ruler.across(at.x, true), y: ruler.down(at.y, true), duration }
    }
    case 'drag':
      if (intent.from === undefined || intent.relative || intent.button !== 1 || intent.hold) return undefined
      return stroke(intent.from, intent.to, ruler)
    case 'stroke':
      return stroke(intent.from, intent.to, ruler)
    case 'swipe':
      return swipe(intent.at, intent.direction, intent.distance, ruler)
    case 'scroll': {
      if (intent.hold !== undefined) return undefined
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

/** Keys that are buttons of the phone. */
function pressedOnPhone(keys: string): Action | undefined {
  if (keys === 'Home' || keys === 'XF86HomePage') return { type: 'android:home' }
  return keys === 'XF86Back' ? { type: 'android:back' } : undefined
}

function half(): Length {
  return { type: '/', numerator: 1, denominator: 2 }
}

function stroke(from: Point, to: Point, ruler: Ruler): Action | undefined {
  if (!ruler.contains(from) || !ruler.contains(to)) return undefined
  return {
    type: 'touch:drag',
    startX: ruler.across(from.x, true),
    startY: ruler.down(from.y, true),
    endX: ruler.across(to.x, true),
    endY: ruler.down(to.y, true),
  }
}

function swipe(
  at: Point | undefined,
  direction: Direction,
  length: number | undefined,
  ruler: Ruler,
): Action | undefined {
  if (at !== undefined && !ruler.contains(at)) return undefined
  const x = at === undefined ? half() : ruler.across(at.x, true)
  const y = at === undefined ? half() : ruler.down(at.y, true)
  return { type: 'touch:swipe', x, y, direction, distance: swiped(direction, length, ruler) }
}

function swiped(direction: Direction, length: number | undefined, ruler: Ruler): Length {
  if (length === undefined || length <= 0) return defaultDistance
  const sideways = direction === 'left' || direction === 'right'
  return sideways ? ruler.across(length, true) : ruler.down(length, true)
}

/** Content moves down when the finger moves up. A phone scrolls along one axis at a time. */
function fingerDirection(down: number, right: number): Direction | undefined {
  if (right === 0 && down !== 0) return down > 0 ? 'up' : 'down'
  if (down === 0 && right !== 0) return right > 0 ? 'left' : 'right'
  return undefined
}
