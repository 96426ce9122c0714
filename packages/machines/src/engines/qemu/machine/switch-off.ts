import { machinePaths } from '../../local/machine-paths.ts'
import { hasEnded } from '../../local/oci/init-process.ts'
import type { VmRecord } from '../records.ts'
import { hasAgent } from './command-line.ts'
import { flushGuest } from './flush-guest.ts'
import { QmpClient } from './qmp-client.ts'
import { endVm } from './remove-vm.ts'
import type { VmGround } from './start-vm.ts'

/** How long a system without our agent may take to shut down after its power button was pressed. */
const shutdownTimeoutMs = 10_000

/** Ends a machine that may run, after its guest has written to its disk what it has only in memory. */
export async function switchOff(ground: VmGround, { spec, guest }: VmRecord): Promise<void> {
  if (hasAgent(guest)) await flushGuest(ground, spec.id)
  else await pressPower(ground, spec.id)
  await endVm(ground, spec.id)
}

/** A guest that does not know the button, or does not run, is switched off like a computer that has lost its power. */
async function pressPower({ settings }: VmGround, id: string): Promise<void> {
  const paths = machinePaths(settings, id)
  const qmp = await QmpClient.open(paths.sockets, AbortSignal.timeout(shutdownTimeoutMs)).catch(
    () => undefined,
  )
  if (!qmp) return
  try {
    await qmp.execute('system_powerdown')
    await hasEnded(paths, shutdownTimeoutMs)
  } catch {
    // It is ended in any case.
  } finally {
    qmp.close()
  }
}
