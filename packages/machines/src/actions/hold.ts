import type { Input } from '../contract/input.ts'

/**
 * Presses keys in order and adds them to `down`. A key that is already down is released first, so that each key is
 * pressed as often as it is named.
 */
export function pressAll(input: Input, keysyms: readonly number[], down: number[]): void {
  for (const keysym of keysyms) {
    if (down.includes(keysym)) input.keyUp(keysym)
    else down.push(keysym)
    input.keyDown(keysym)
  }
}

/** Does some work while keys are held. The keys are released in reverse order, also when the work fails. */
export async function whileHolding<T>(
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
