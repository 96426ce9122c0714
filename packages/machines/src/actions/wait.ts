import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../contract/errors.ts'

/** A caller that waits for longer does so by itself. */
const longestWaitMs = 60_000

export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  requireBearable(ms)
  await pause(ms, undefined, { signal })
}

export function requireBearable(ms: number): void {
  if (ms > longestWaitMs)
    throw new MachineError('INVALID', `duration is ${ms} ms, and ${longestWaitMs} ms is the most in one call`)
}
