import { setImmediate } from 'node:timers/promises'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { MachineError } from '../../contract/errors.ts'
import type { Rect } from '../../contract/rect.ts'
import type { UiAction, UiElement, UiState } from '../../contract/ui-tree.ts'
import { roleOf } from './android-roles.ts'

/** No screen that a person can use has more elements. */
const maxNodes = 5000
const maxDepth = 200
const maxTextLength = 10_000
/** An element of a dump has about 20. */
const maxAttributes = 100
/** The length of a dump; 5,000 elements take less. */
const maxLength = 4 * 1024 * 1024
/** So many characters take about a millisecond; other work of this process gets its turn in between. */
const charactersPerTurn = 64 * 1024

const states: readonly [attribute: string, value: string, state: UiState][] = [
  ['checked', 'true', 'checked'],
  ['enabled', 'false', 'disabled'],
  ['focused', 'true', 'focused'],
  ['password', 'true', 'password'],
  ['selected', 'true', 'selected'],
]

const actionAttributes: readonly [attribute: string, action: UiAction][] = [
  ['clickable', 'click'],
  ['long-clickable', 'longPress'],
  ['scrollable', 'scroll'],
]

/** Parses the output of `uiautomator dump`. The device is not trusted: anything unexpected throws. */
export async function parseWindowDump(xml: string): Promise<UiElement[]> {
  if (xml.length > maxLength) throw broken(`it is longer than ${maxLength} characters`)
  const elements: UiElement[] = []
  const parser = new SaxesParser()
  /** The index of each open element among its siblings. */
  const numbers: number[] = []
  /** How many children each open element has had so far, starting with the document itself. */
  const counts = [0]
  let [nodes, attributes] = [0, 0]
  parser.on('error', error => {
    throw broken(error.message)
  })
  // A document type could declare entities, which a dump never does.
  parser.on('doctype', () => {
    throw broken('it has a document type')
  })
  parser.on('attribute', () => {
    if (++attributes > maxAttributes) throw broken(`a node has more than ${maxAttributes} attributes`)
  })
  parser.on('opentag', tag => {
    attributes = 0
    const number = counts.pop() ?? 0
    counts.push(number + 1, 0)
    numbers.push(number)
    if (numbers.length > maxDepth) throw broken(`it is more than ${maxDepth} deep`)
    if (tag.name !== 'node') return
    if (++nodes > maxNodes) throw broken(`it has more than ${maxNodes} nodes`)
    // The first index is that of the hierarchy, which holds the nodes of all windows.
    const element = elementOf(tag, numbers.slice(1))
    if (element) elements.push(element)
  })
  parser.on('closetag', () => {
    counts.pop()
    numbers.pop()
  })
  for (let at = 0; at < xml.length; at += charactersPerTurn) {
    parser.write(xml.slice(at, at + charactersPerTurn))
    await setImmediate()
  }
  parser.close()
  return elements
}

/** Undefined if the element is invisible, or only groups others. */
function elementOf({ attributes }: SaxesTagPlain, way: readonly number[]): UiElement | undefined {
  const read = (name: string) => (attributes[name] ?? '').slice(0, maxTextLength)
  const bounds = boundsOf(read('bounds'))
  if (bounds.width === 0 || bounds.height === 0) return undefined
  const role = roleOf(read('class'))
  const is = (name: string) => attributes[name] === 'true'
  const [id, name, text] = [read('resource-id'), read('content-desc'), is('password') ? '' : read('text')]
  const actions = actionAttributes.filter(([name]) => is(name)).map(([, deed]) => deed)
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

/** Parses bounds such as `[0,84][720,210]`: the top left corner, and the bottom right corner, which is exclusive. */
function boundsOf(text: string): Rect {
  const [, ...corners] = /^\[(-?\d{1,6}),(-?\d{1,6})\]\[(-?\d{1,6}),(-?\d{1,6})\]$/.exec(text) ?? []
  const [left, top, right, bottom] = corners.map(Number)
  if (left === undefined || top === undefined || right === undefined || bottom === undefined)
    throw broken(`${JSON.stringify(text.slice(0, 50))} is not a rectangle`)
  return { x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) }
}

function broken(what: string): MachineError {
  return new MachineError('MACHINE_FAILED', `The device's window dump cannot be read: ${what}.`)
}
