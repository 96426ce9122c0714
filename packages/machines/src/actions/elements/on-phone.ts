import { setTimeout as pause } from 'node:timers/promises'
import type { ElementAction } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Phone } from '../../contract/phone.ts'
import type { Screen } from '../../contract/screen.ts'
import type { UiElement } from '../../contract/ui-tree.ts'
import { requireTypeable } from '../typeable.ts'
import { shown } from './named-element.ts'
import { middleOf } from './place-of-element.ts'
import { type Reached, reachElement, requireField, treeNow } from './reach-element.ts'

const focusPatienceMs = 3000
const betweenMs = 50
const scrollMs = 300

/** A finger that scrolls stays within this part of the element, and so off the edges of the screen. */
const maxOfElement = 0.8

/** A step moves the finger by this part of the screen. */
const notch = 0.1

/** Where the finger goes: what is further down comes when it goes up. */
const ways = { up: [0, 1], down: [0, -1], left: [1, 0], right: [-1, 0] } as const

/** Acts on an element by a finger at the middle of what can be seen of it. */
export async function actOnPhoneElement(
  action: ElementAction,
  phone: Phone,
  screen: Screen,
  signal?: AbortSignal,
): Promise<void> {
  if (action.type === 'os:setElementText') requireTypeable(action.text)
  const reached = await reachElement(action.element, screen)
  signal?.throwIfAborted()
  const { at } = reached
  if (action.type === 'os:clickElement') return phone.touch({ from: at, to: at, durationMs: 0 }, { signal })
  if (action.type === 'os:setElementText') return setText(reached, action.text, phone, screen, signal)
  await phone.touch(await scrollOf(action, reached, screen), { signal })
}

async function scrollOf(
  { direction, steps }: Extract<ElementAction, { type: 'os:scrollElement' }>,
  { part }: Reached,
  screen: Screen,
) {
  const size = await screen.size()
  const [x, y] = ways[direction]
  const [extent, most] = x === 0 ? [size.height, part.height] : [size.width, part.width]
  const half = Math.min(steps * notch * extent, most * maxOfElement) / 2
  const middle = middleOf(part)
  const place = (side: 1 | -1) => ({
    x: Math.round(middle.x + side * x * half),
    y: Math.round(middle.y + side * y * half),
  })
  return { from: place(-1), to: place(1), durationMs: scrollMs }
}

/** A phone types into what has the focus. What came of it is looked at, but for a password, which is never told. */
async function setText(
  { element, at }: Reached,
  text: string,
  phone: Phone,
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<void> {
  requireField(element)
  if (!element.states.includes('focused')) {
    await phone.touch({ from: at, to: at, durationMs: 0 }, { signal })
    await untilFocused(element, screen, signal)
  }
  await phone.clear({ signal })
  // An empty field may tell its hint as its text.
  if (text === '') return
  const wanted = text.replaceAll(/\r\n?/g, '\n')
  await phone.type(wanted, { signal })
  const now = await sameElement(element, screen)
  if (now && !now.states.includes('password') && now.text !== wanted)
    throw new MachineError('MISMATCH', `The text was typed, and ${shown(now)} is what came of it`)
}

async function untilFocused(
  element: UiElement,
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const end = Date.now() + focusPatienceMs; ; await pause(betweenMs, undefined, { signal })) {
    if ((await sameElement(element, screen))?.states.includes('focused')) return
    if (Date.now() > end)
      throw new MachineError('MISMATCH', `${shown(element)} was tapped and did not take the focus`)
  }
}

async function sameElement({ path, role, id }: UiElement, screen: Screen): Promise<UiElement | undefined> {
  return (await treeNow(screen)).find(other => other.path === path && other.role === role && other.id === id)
}
