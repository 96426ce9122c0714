import { setTimeout as pause } from 'node:timers/promises'
import type { AdbCredentialStore } from '@yume-chan/adb'
import { MachineError } from '../../contract/errors.ts'
import { untilBooted } from './health.ts'
import { openLink } from './open-link.ts'
import { startShell } from './shell-process.ts'

/** A device that was told to reboot is gone within this. */
const goneMs = 30_000

/** Reboots a device and waits until it is up; one that does not answer may be on its way up already. */
export async function reboot(
  address: string,
  keys: AdbCredentialStore,
  patienceMs: number,
  signal?: AbortSignal,
): Promise<void> {
  const link = await openLink(address, keys).catch(() => undefined)
  if (link) {
    const shell = await startShell(link, 'reboot || svc power reboot')
    for (const output of [shell.stdout, shell.stderr]) output.resume()
    const isGone = await Promise.race([
      link.closed.then(() => true),
      pause(goneMs, false, { ref: false, ...(signal && { signal }) }),
    ]).finally(() => link.close())
    if (!isGone)
      throw new MachineError('MACHINE_FAILED', `The device ${address} does not reboot when it is told to.`)
  }
  await untilBooted(address, keys, patienceMs, signal)
}
