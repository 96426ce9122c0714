import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { MachineError } from '../../contract/errors.ts'
import type { Rect } from '../../contract/rect.ts'
import type { UiAction, UiElement, UiState } from '../../contract/ui-tree.ts'
import { roleOf } from './android-roles.ts'

/** No screen that a person can use has more on it. */
const maxNodes = 10_000
const deepest = 200
const longestText = 10_000

const states: readonly [attribute: string, value: string, state: UiState][] = [
  ['checked', 'true', 'checked'],
  ['enabled', 'false', 'disabled'],
  ['focused', 'true', 'focused'],
  ['password', 'true', 'password'],
  ['selected', 'true', 'selected'],
]

const deeds: readonly [attribute: string, deed: UiAction][] = [
  ['clickable', 'click'],
  ['long-clickable', 'longPress'],
  ['scrollable', 'scroll'],
]

/** What `uiautomator dump` prints. It is a stranger's: it throws at the first that is no such dump. */
export function parseWindowDump(xml: string): UiElement[] {
  const elements: UiElement[] = []
  const parser = new SaxesParser()
  /** Of each that is open, its number among its siblings. */
  const numbers: number[] = []
  /** Of each that is open, how many children it has had so far; the document itself first. */
  const counts = [0]
  let nodes = 0
  parser.on('error', error => {
    throw broken(error.message)
  })
  // With one come entities, of which a dump has none.
  parser.on('doctype', () => {
    throw broken('it has a document type')
  })
  parser.on('opentag', tag => {
    const number = counts.pop() ?? 0
    counts.push(number + 1, 0)
    numbers.push(number)
    if (numbers.length > deepest) throw broken(`it is more than ${deepest} deep`)
    if (tag.name !== 'node') return
    if (++nodes > maxNodes) throw broken(`it has more than ${maxNodes} nodes`)
    // The first is the hierarchy, which holds the nodes of all windows.
    const element = elementOf(tag, numbers.slice(1))
    if (element) elements.push(element)
  })
  parser.on('closetag', () => {
    counts.pop()
    numbers.pop()
  })
  parser.write(xml).close()
  return elements
}

/** Undefined where nobody can see it, or it only holds others. */
function elementOf({ attributes }: SaxesTagPlain, way: readonly number[]): UiElement | undefined {
  const read = (name: string) => (attributes[name] ?? '').slice(0, longestText)
  const bounds = boundsOf(read('bounds'))
  if (bounds.width === 0 || bounds.height === 0) return undefined
  const role = roleOf(read('class'))
  const is = (name: string) => attributes[name] === 'true'
  const [id, name, text] = [read('resource-id'), read('content-desc'), is('password') ? '' : read('text')]
  const actions = deeds.filter(([name]) => is(name)).map(([, deed]) => deed)
  if (role === 'group' && id + name + text === '' && actions.length === 0) return undefined
  return {
    role,
    name,
    text,
    path: way.join('/'),
    ...(id !== '' && { id }),
    bounds,
    states: states.filter(([name, value]) => attributes[name] === value).map(([, , state]) => state),
    actions: role === 'edit' ? [...actions, 'type'] : actions,
    depth: way.length - 1,
  }
}

/** Such as `[0,84][720,210]`: two corners, of which the second is outside. */
function boundsOf(text: string): Rect {
  const [, ...corners] = /^\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]$/.exec(text) ?? []
  const [left, top, right, bottom] = corners.map(Number)
  if (left === undefined || top === undefined || right === undefined || bottom === undefined)
    throw broken(`${JSON.stringify(text.slice(0, 50))} are no bounds`)
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) }
}

function broken(what: string): MachineError {
  return new MachineError('MACHINE_FAILED', `The device's tree of its screen cannot be read: ${what}.`)
}
