import { MachineError } from '../../../contract/errors.ts'
import { freeDiskMiB } from '../host/host-room.ts'
import type { Settings } from '../options.ts'
import { isAllocated } from './disk.ts'

/**
 * Fails if this many more bytes on a machine's disk would exceed the disk reserve of the host. A sparse disk grows as
 * it is written to, and the machine cannot see that the host has no space for it.
 */
export async function assertStorable(settings: Settings, disk: string, bytes: number): Promise<void> {
  const freeMiB = await freeDiskMiB(settings)
  if (freeMiB - bytes / 1024 / 1024 >= settings.reserveDiskMiB || (await isAllocated(disk))) return
  throw new MachineError(
    'HOST_FULL',
    `the disk of the sandbox's host is nearly full (${freeMiB} MiB are free, of which ${settings.reserveDiskMiB} MiB ` +
      'stay reserved), and nothing was written',
  )
}
