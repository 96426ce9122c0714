import type { Input } from '../contract/input.ts'

/** Presses keys in order; one that is down already is released first, so that it is pressed as often as it is named. */
export function pressAll(input: Input, keysyms: readonly number[], down: number[]): void {
  for (const keysym of keysyms) {
    if (down.includes(keysym)) input.keyUp(keysym)
    else down.push(keysym)
    input.keyDown(keysym)
  }
}

/** Does something while keys are held, and releases them, the last first, whatever comes of it. */
export async function holding<T>(
  input: Input,
  keysyms: readonly number[],
  work: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  await input.prepare(keysyms, signal)
  const down: number[] = []
  try {
    pressAll(input, keysyms, down)
    return await work()
  } finally {
    for (const keysym of down.toReversed()) input.keyUp(keysym)
  }
}
