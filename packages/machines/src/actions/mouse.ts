import { setTimeout as pause } from 'node:timers/promises'
import type { Input, MouseButton } from '../contract/input.ts'
import type { Point } from '../contract/screen.ts'

/** The flags of the contract. */
const flags: readonly (readonly [number, MouseButton])[] = [
  [1, 'left'],
  [2, 'right'],
  [4, 'middle'],
  [8, 'back'],
  [16, 'forward'],
]

export function buttonsOf(button: number): MouseButton[] {
  return flags.filter(([flag]) => button & flag).map(([, name]) => name)
}

export function click(input: Input, buttons: readonly MouseButton[], times: number): void {
  for (let i = 0; i < times; i++) {
    for (const button of buttons) input.press(button)
    for (const button of buttons) input.release(button)
  }
}

/** Turns the wheels, positive down and right. */
export function scroll(input: Input, vertical: number, horizontal: number): void {
  turn(input, vertical > 0 ? 'wheelDown' : 'wheelUp', vertical)
  turn(input, horizontal > 0 ? 'wheelRight' : 'wheelLeft', horizontal)
}

function turn(input: Input, wheel: MouseButton, steps: number): void {
  click(input, [wheel], Math.round(Math.abs(steps)))
}

/** A hand takes about so long; programs that see nothing between start and end do not take it for a drag. */
const stepMs = 8
const stepPx = 40
const fewestSteps = 6
const mostSteps = 24

/** Where things are dropped, the program below must have said that it takes them before the button is released. */
const dwellMs = 40

export async function drag(
  input: Input,
  buttons: readonly MouseButton[],
  start: Point,
  end: Point,
  signal?: AbortSignal,
): Promise<void> {
  await input.move(start)
  try {
    for (const button of buttons) input.press(button)
    for (const point of between(start, end)) {
      await pause(stepMs, undefined, { signal })
      await input.move(point)
    }
    await pause(dwellMs, undefined, { signal })
  } finally {
    for (const button of buttons) input.release(button)
  }
}

function* between(start: Point, end: Point): Generator<Point> {
  const distance = Math.hypot(end.x - start.x, end.y - start.y)
  const steps = Math.min(Math.max(Math.ceil(distance / stepPx), fewestSteps), mostSteps)
  for (let step = 1; step <= steps; step++)
    yield {
      x: Math.round(start.x + ((end.x - start.x) * step) / steps),
      y: Math.round(start.y + ((end.y - start.y) * step) / steps),
    }
}
