import type { MachinePaths } from '../../local/machine-paths.ts'
import { groupOf, isFrozen } from '../../local/oci/cgroups.ts'
import { QmpClient } from './qmp-client.ts'
import type { VmGround } from './start-vm.ts'

/** How long a guest stood still. */
export interface Standstill<T> {
  readonly result: T
  readonly pauseMs: number
}

type Stopper = Pick<VmGround, 'settings' | 'layout' | 'runtime'>

/**
 * Does work while the processors of a running guest stand still and everything that it wrote is in the file of its disk. A paused machine
 * is paused again afterwards; QEMU must run for this, but its guest does not.
 */
export async function whileStill<T>(
  { settings, layout, runtime }: Stopper,
  { sockets }: Pick<MachinePaths, 'sockets'>,
  id: string,
  work: (qmp: QmpClient) => Promise<T>,
  signal?: AbortSignal,
): Promise<Standstill<T>> {
  const wasPaused = await isFrozen(layout, groupOf(settings.instance, id))
  if (wasPaused) await runtime.resume(id)
  const qmp = await QmpClient.open(sockets, signal)
  const begun = performance.now()
  try {
    await qmp.execute('stop')
    const result = await work(qmp)
    return { result, pauseMs: performance.now() - begun }
  } finally {
    // A machine that is about to be switched off has no use for it.
    await qmp.execute('cont').catch(() => {})
    qmp.close()
    if (wasPaused) await runtime.pause(id).catch(() => {})
  }
}
