import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import type { MachinePaths } from '../../local/machine-paths.ts'
import { findInit } from '../../local/oci/init-process.ts'
import { readNote } from './read-note.ts'

/** Node cannot wait for a process that it did not start. */
const lookEveryMs = 100
/** In bytes. What QEMU printed may be as long as a guest that has taken it over wants. */
const maxReason = 500

/** Does the work, but fails as soon as QEMU has ended, with what it printed last, or the signal fires: QEMU may never answer. */
export async function whileRunning<T>(
  paths: MachinePaths,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const done = new AbortController()
  const end = AbortSignal.any([signal, done.signal])
  try {
    return await Promise.race([work(end), failWhenEnded(paths, end), failWhenAborted(signal)])
  } finally {
    done.abort()
  }
}

async function failWhenEnded(paths: MachinePaths, signal: AbortSignal): Promise<never> {
  do {
    await pause(lookEveryMs, undefined, { signal }).catch(() => new Promise<never>(() => {}))
  } while (await findInit(paths))
  throw await whyEnded(paths)
}

/** QEMU has ended although nobody wanted that. */
export async function whyEnded(paths: MachinePaths): Promise<MachineError> {
  const printed = await readNote(paths.sockets, 'qemu.log', maxReason)
  return new MachineError(
    'MACHINE_FAILED',
    `QEMU ended while the machine started: ${printed.trim() || 'it printed no reason'}`,
  )
}

function failWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
