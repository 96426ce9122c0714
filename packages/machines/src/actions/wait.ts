import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../contract/errors.ts'

/** A caller that wants to wait for longer repeats the call, so that connections do not stay silent for minutes. */
const maxWaitMs = 60_000

/** Waits for `ms`, or rejects when the signal fires. A wait that is too long for one call fails with INVALID at once. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  requireMaxWait(ms)
  await pause(ms, undefined, { signal })
}

/** Fails with INVALID if a duration is too long for one call. */
export function requireMaxWait(ms: number): void {
  if (ms > maxWaitMs)
    throw new MachineError('INVALID', `duration is ${ms} ms, and ${maxWaitMs} ms is the most in one call`)
}
