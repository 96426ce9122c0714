import { AdbSync } from '@yume-chan/adb'
import type { AdbLink } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import { fileError } from './file-errors.ts'

/** How long a device may make no progress. */
const stallTimeoutMs = 30_000

/**
 * Runs `work` with a session of ADB's sync service, and always closes it. It fails if the device makes no progress
 * for too long; `work` reports progress by calling `onProgress`.
 */
export async function withSync<T>(
  link: AdbLink,
  path: string,
  work: (sync: AdbSync, onProgress: () => void) => Promise<T>,
): Promise<T> {
  const sync = new AdbSync(link.adb, await link.connect('sync:'))
  const stall = Promise.withResolvers<never>()
  const timer = setTimeout(
    () =>
      stall.reject(
        new MachineError('MACHINE_FAILED', `The device stopped responding while it worked on ${path}.`),
      ),
    stallTimeoutMs,
  )
  try {
    return await Promise.race([work(sync, () => void timer.refresh()), stall.promise])
  } catch (error) {
    if (error instanceof MachineError) throw error
    throw fileError(error instanceof Error ? error.message : String(error), path)
  } finally {
    clearTimeout(timer)
    // `dispose` waits for the device to finish sending, which the caller does not need.
    void sync.dispose().catch(() => {})
  }
}
