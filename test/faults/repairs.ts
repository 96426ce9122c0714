import { waitFor } from '@sandglass/machines/testing'
import type { World } from './world.ts'

/** Restarts a killed service, as the init system of a host would. */
export async function startService(world: World): Promise<void> {
  world.framesLostAtMs = performance.now()
  await world.installation.service.exit()
  await world.installation.startAgain()
}

/** A machine whose first process was killed has ended. Its sandbox reports that, and restarts on request. */
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
