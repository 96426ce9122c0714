import { setTimeout as pause } from 'node:timers/promises'
import type { Input, MouseButton } from '../contract/input.ts'
import type { Point } from '../contract/rect.ts'

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

/**
 * Each of several clicks is held for so long, and so far from the next. A window manager looks at each press before the
 * program gets it, and GTK loses count of clicks that were over by then.
 */
const clickHoldMs = 30

export async function click(
  input: Input,
  buttons: readonly MouseButton[],
  times: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let i = 0; i < times; i++) {
    if (i > 0) await pause(clickHoldMs, undefined, { signal })
    for (const button of buttons) input.press(button)
    try {
      if (times > 1) await pause(clickHoldMs, undefined, { signal })
    } finally {
      for (const button of buttons) input.release(button)
    }
  }
}

/** Turns the wheels, positive down and right. */
export function scroll(input: Input, vertical: number, horizontal: number): void {
  turn(input, vertical > 0 ? 'wheelDown' : 'wheelUp', vertical)
  turn(input, horizontal > 0 ? 'wheelRight' : 'wheelLeft', horizontal)
}

function turn(input: Input, wheel: MouseButton, steps: number): void {
  for (let i = 0; i < Math.round(Math.abs(steps)); i++) {
    input.press(wheel)
    input.release(wheel)
  }
}

/** A hand takes about so long; programs that see nothing between start and end do not take it for a drag. */
const stepMs = 8
const stepPx = 40
const fewestSteps = 6
const maxSteps = 24

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
  const steps = Math.min(Math.max(Math.ceil(distance / stepPx), fewestSteps), maxSteps)
  for (let step = 1; step <= steps; step++)
    yield {
      x: Math.round(start.x + ((end.x - start.x) * step) / steps),
      y: Math.round(start.y + ((end.y - start.y) * step) / steps),
    }
}
