import { waitFor } from '@sandglass/machines/testing'
import type { World } from './world.ts'

/** The init system of a host starts a service again that was killed. */
export async function startService(world: World): Promise<void> {
  world.serviceKilledAtMs = performance.now()
  await world.installation.service.exit()
  await world.installation.startAgain()
}

/** A machine whose first process was killed has ended; its sandbox says so, and starts again when it is asked to. */
export async function restartSandbox(world: World): Promise<void> {
  await waitFor(async () => (await world.status()) !== 'RUNNING')
  await waitFor(async () => {
    const { status } = await world.ask({
      what: 'restartSandbox',
      method: 'POST',
      path: '/restart',
      isAudited: true,
    })
    return status === 200
  })
}
