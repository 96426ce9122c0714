import { AdbSync } from '@yume-chan/adb'
import { MachineError } from '../../contract/errors.ts'
import type { AdbLink } from '../../screens/adb/adb-link.ts'
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
  const close = () => sync.dispose().catch(() => {})
  const timer = setTimeout(close, patienceMs)
  try {
    return await work(sync, () => void timer.refresh())
  } catch (error) {
    if (error instanceof MachineError) throw error
    throw fileError(error instanceof Error ? error.message : String(error), path)
  } finally {
    clearTimeout(timer)
    await close()
  }
}
