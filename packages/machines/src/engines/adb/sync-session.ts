import { AdbSync } from '@yume-chan/adb'
import type { AdbLink } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import { fileError } from './file-errors.ts'

/** A device that is there goes on within this. */
const patienceMs = 30_000

/**
 * A conversation by ADB's sync service, closed at the end whatever happens in it, and when the device says nothing for too
 * long; `goesOn` tells that it did.
 */
export async function withSync<T>(
  link: AdbLink,
  path: string,
  work: (sync: AdbSync, goesOn: () => void) => Promise<T>,
): Promise<T> {
  const sync = new AdbSync(link.adb, await link.connect('sync:'))
  const silence = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => silence.reject(new MachineError('MACHINE_FAILED', `The device says nothing more about ${path}.`)),
    patienceMs,
  )
  try {
    return await Promise.race([work(sync, () => void timer.refresh()), silence.promise])
  } catch (error) {
    if (error instanceof MachineError) throw error
    throw fileError(error instanceof Error ? error.message : String(error), path)
  } finally {
    clearTimeout(timer)
    // It waits for what the device still sends, which nobody else does.
    void sync.dispose().catch(() => {})
  }
}
