import { setTimeout as pause } from 'node:timers/promises'
import { asMachineError } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { DeviceRoute } from './device-route.ts'
import { openLink } from './open-link.ts'

const retryMs = 500
/** How long a running device may take to answer. */
const answerTimeoutMs = 10_000

/** Resolves when the device reports that Android has booted. A device that denies access fails immediately. */
export async function untilBooted(
  route: DeviceRoute,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    signal?.throwIfAborted()
    const problem = await problemOf(route)
    if (!problem) return
    if (problem.code === 'DENIED' || performance.now() + retryMs > deadlineMs) throw problem
    await pause(retryMs, undefined, signal ? { signal } : {})
  }
}

async function problemOf(route: DeviceRoute): Promise<MachineError | undefined> {
  const { address } = route
  try {
    const link = await openLink(route)
    // Closing the connection also ends the wait for the answer.
    const timer = setTimeout(() => link.close(), answerTimeoutMs)
    try {
      const value = String(await link.output('getprop sys.boot_completed', 4096)).trim()
      if (value === '1') return undefined
      const shown = value === '' ? 'nothing' : JSON.stringify(value.slice(0, 40))
      return new MachineError(
        'MACHINE_FAILED',
        `The device ${address} has not booted: its sys.boot_completed is ${shown} instead of 1.`,
      )
    } finally {
      clearTimeout(timer)
      link.close()
    }
  } catch (error) {
    const { code, message } = asMachineError(error)
    const named = message.includes(address) ? message : `${address}: ${message}`
    return new MachineError(code, named, { cause: error })
  }
}
