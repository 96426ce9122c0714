import { ask } from '../../local/guest/agent-client.ts'
import { guestOf } from '../../local/guest/guest.ts'
import type { VmGround } from './start-vm.ts'

/** A guest that takes longer has other problems than the time. */
const timeoutMs = 5000

/**
 * Gives a guest that stood still the time of the host. Its own clock goes on where it stopped, or goes wrong: the timers that a kernel may
 * count with wrap around within seconds. A guest that does not answer keeps what it has.
 */
export async function setClock(
  { settings, layout }: Pick<VmGround, 'settings' | 'layout'>,
  id: string,
): Promise<void> {
  const request = { op: 'clock', time: Date.now() / 1000 }
  await ask(guestOf(id, settings, layout), request, { signal: AbortSignal.timeout(timeoutMs) }).then(
    ({ socket }) => socket.destroy(),
    () => {},
  )
}
