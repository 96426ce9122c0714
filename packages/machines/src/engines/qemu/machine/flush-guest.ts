import { ask } from '../../local/guest/agent-client.ts'
import { guestOf } from '../../local/guest/guest.ts'
import type { VmGround } from './start-vm.ts'

/** A guest that takes longer is switched off like a computer that has lost its power. */
const timeoutMs = 15_000

/** Lets the guest write to its disk what it has only in memory, before it is switched off. It may not answer, or not run. */
export async function flushGuest(
  { settings, layout }: Pick<VmGround, 'settings' | 'layout'>,
  id: string,
): Promise<void> {
  const guest = guestOf(id, settings, layout)
  await ask(guest, { op: 'sync' }, { signal: AbortSignal.timeout(timeoutMs) }).then(
    ({ socket }) => socket.destroy(),
    () => {},
  )
}
