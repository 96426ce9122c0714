import { setTimeout as pause } from 'node:timers/promises'
import type { AdbCredentialStore } from '@yume-chan/adb'
import { asMachineError } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import { openLink } from './open-link.ts'

const betweenMs = 500
/** A device that runs says so within this. */
const answerMs = 10_000

/** Settles when the device answers and says that Android has booted. A device that refuses us is not waited for. */
export async function untilBooted(
  address: string,
  keys: AdbCredentialStore,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + patienceMs
  for (;;) {
    signal?.throwIfAborted()
    const problem = await problemOf(address, keys)
    if (!problem) return
    if (problem.code === 'DENIED' || performance.now() + betweenMs > deadlineMs) throw problem
    await pause(betweenMs, undefined, signal ? { signal } : {})
  }
}

async function problemOf(address: string, keys: AdbCredentialStore): Promise<MachineError | undefined> {
  try {
    const link = await openLink(address, keys)
    // The connection ends with the time, and with it the wait for an answer.
    const timer = setTimeout(() => link.close(), answerMs)
    try {
      const said = String(await link.output('getprop sys.boot_completed', 4096)).trim()
      if (said === '1') return undefined
      const told = said === '' ? 'nothing' : JSON.stringify(said.slice(0, 40))
      return new MachineError(
        'MACHINE_FAILED',
        `The device ${address} has not booted: its sys.boot_completed is ${told}, and not 1.`,
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
