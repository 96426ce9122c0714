import { setTimeout as pause } from 'node:timers/promises'
import type { ElementAction } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { Screen } from '../../contract/screen.ts'
import type { UiElement } from '../../contract/ui-tree.ts'
import type { PhoneTarget } from '../phone-action.ts'
import { requireTypeable } from '../typeable.ts'
import { describeElement } from './find-element.ts'
import { currentTree, type Reached, reachElement, requireField } from './reach-element.ts'
import { middleOf } from './visible-part.ts'

const focusTimeoutMs = 3000
const pollMs = 50
const scrollMs = 300

/** A scrolling finger stays within this fraction of the element, and so away from the edges of the screen. */
const maxOfElement = 0.8

/** One step moves the finger by this fraction of the screen. */
const notch = 0.1

/** The direction in which the finger moves: content from further down appears when it moves up. */
const directions = { up: [0, 1], down: [0, -1], left: [1, 0], right: [-1, 0] } as const

/**
 * Acts on an element with a finger at the middle of its visible part. It fails with MISMATCH, and does nothing, if the
 * element is not on the screen as it was described.
 */
export async function actOnPhoneElement(action: ElementAction, target: PhoneTarget): Promise<void> {
  const { phone, screen, signal } = target
  if (action.type === 'os:setElementText') requireTypeable(action.text)
  const reached = await reachElement(action.element, screen)
  signal?.throwIfAborted()
  const { at } = reached
  if (action.type === 'os:clickElement') return phone.touch({ from: at, to: at, durationMs: 0 }, { signal })
  if (action.type === 'os:setElementText') return setText(reached, action.text, target)
  await phone.touch(await scrollOf(action, reached, screen), { signal })
}

async function scrollOf(
  { direction, steps }: Extract<ElementAction, { type: 'os:scrollElement' }>,
  { part }: Reached,
  screen: Screen,
) {
  const size = await screen.size()
  const [x, y] = directions[direction]
  const [extent, max] = x === 0 ? [size.height, part.height] : [size.width, part.width]
  const half = Math.min(steps * notch * extent, max * maxOfElement) / 2
  const middle = middleOf(part)
  const place = (side: 1 | -1) => ({
    x: Math.round(middle.x + side * x * half),
    y: Math.round(middle.y + side * y * half),
  })
  return { from: place(-1), to: place(1), durationMs: scrollMs }
}

/** A phone types into the focused field, so the result is checked afterwards; that of a password cannot be read. */
async function setText(
  { element, at }: Reached,
  text: string,
  { phone, screen, signal }: PhoneTarget,
): Promise<void> {
  requireField(element)
  if (!element.states.includes('focused')) {
    await phone.touch({ from: at, to: at, durationMs: 0 }, { signal })
    await untilFocused(element, screen, signal)
  }
  await phone.clear({ signal })
  // The result is not checked, because an empty field may report its hint as its text.
  if (text === '') return
  const wanted = text.replaceAll(/\r\n?/g, '\n')
  await phone.type(wanted, { signal })
  const now = await sameElement(element, screen)
  if (now && !now.states.includes('password') && now.text !== wanted)
    throw new MachineError('MISMATCH', `The text was typed, and ${describeElement(now)} is what came of it`)
}

async function untilFocused(
  element: UiElement,
  screen: Screen,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const end = performance.now() + focusTimeoutMs; ; await pause(pollMs, undefined, { signal })) {
    if ((await sameElement(element, screen))?.states.includes('focused')) return
    if (performance.now() > end)
      throw new MachineError('MISMATCH', `${describeElement(element)} was tapped and did not take the focus`)
  }
}

async function sameElement({ path, role, id }: UiElement, screen: Screen): Promise<UiElement | undefined> {
  return (await currentTree(screen)).find(
    other => other.path === path && other.role === role && other.id === id,
  )
}
