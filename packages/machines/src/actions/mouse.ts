import { setTimeout as pause } from 'node:timers/promises'
import type { Input, MouseButton } from '../contract/input.ts'
import type { Point } from '../contract/rect.ts'

/** The bits of `button` on the wire. */
const flags: readonly (readonly [number, MouseButton])[] = [
  [1, 'left'],
  [2, 'right'],
  [4, 'middle'],
  [8, 'back'],
  [16, 'forward'],
]

/** The buttons of a bit mask such as 3, which is left and right at once. */
export function buttonsOf(button: number): MouseButton[] {
  return flags.filter(([flag]) => button & flag).map(([, name]) => name)
}

/**
 * How long each of several clicks is held, and the gap before the next. A window manager sees each press before the
 * program does, and GTK miscounts clicks that are already over when it sees them.
 */
const clickHoldMs = 30

/** Clicks buttons together, several times in a row. Every button is released, also when the signal fires. */
export async function click(
  input: Input,
  buttons: readonly MouseButton[],
  times: number,
  signal?: AbortSignal,
): Promise<void> {
  for (let i = 0; i < times; i++) {
    if (i > 0) {
      await pause(clickHoldMs, undefined, { signal })
      await input.released(signal)
    }
    for (const button of buttons) input.press(button)
    try {
      if (times > 1) await pause(clickHoldMs, undefined, { signal })
    } finally {
      for (const button of buttons) input.release(button)
    }
  }
}

/** Turns the wheels by whole notches; positive numbers scroll down and right. */
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

/** A drag moves in steps, because programs that see no motion between press and release do not recognize it. */
const stepMs = 8
const stepPx = 40
const minSteps = 6
const maxSteps = 24

/** The pause before the release: the program below must accept the drop before the button comes up. */
const dwellMs = 40

/** Drags from one point to another with buttons held. Every button is released, also when the signal fires. */
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
  const steps = Math.min(Math.max(Math.ceil(distance / stepPx), minSteps), maxSteps)
  for (let step = 1; step <= steps; step++)
    yield {
      x: Math.round(start.x + ((end.x - start.x) * step) / steps),
      y: Math.round(start.y + ((end.y - start.y) * step) / steps),
    }
}
