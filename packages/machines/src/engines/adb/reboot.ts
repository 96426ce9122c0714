import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../contract/errors.ts'
import type { DeviceRoute } from './device-route.ts'
import { untilBooted } from './health.ts'
import { openLink } from './open-link.ts'
import { startShell } from './shell-process.ts'

/** How long a device may take to disconnect after it was told to reboot. */
const shutdownTimeoutMs = 30_000

/** Reboots a device and waits until it has booted. A device that does not answer may be booting already. */
export async function reboot(route: DeviceRoute, timeoutMs: number, signal?: AbortSignal): Promise<void> {
  const link = await openLink(route).catch(() => undefined)
  if (link) {
    const shell = await startShell(link, 'reboot || svc power reboot')
    for (const output of [shell.stdout, shell.stderr]) output.resume()
    const isGone = await Promise.race([
      link.closed.then(() => true),
      pause(shutdownTimeoutMs, false, { ref: false, ...(signal && { signal }) }),
    ]).finally(() => link.close())
    if (!isGone)
      throw new MachineError('MACHINE_FAILED', `The device ${route.address} did not reboot when told to.`)
  }
  await untilBooted(route, timeoutMs, signal)
}
