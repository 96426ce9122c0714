import { waitFor } from '@sandglass/machines/testing'
import { guestProcesses } from '../find-processes.ts'
import type { World } from '../world.ts'
import type { Activity } from './activity.ts'

const open = 'setsid chromium --no-first-run about:blank >/dev/null 2>&1 &'

/** A browser that a user of the machine has opened. The user reopens it after a fault, and that must work. */
export async function browsing(world: World): Promise<Activity> {
  const isOpen = async () =>
    (await world.run('xdotool search --onlyvisible --class chromium || true'))?.trim() !== ''
  const isAlive = async () => {
    if ((await guestProcesses(world, 'chromium')).length === 0) await world.run(open)
    return await isOpen()
  }
  await waitFor(isAlive)
  return { isAlive, end: async () => void (await world.run('pkill chromium || true')) }
}
