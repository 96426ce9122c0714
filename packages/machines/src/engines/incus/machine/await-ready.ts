import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import { ask } from '../../local/guest/agent-client.ts'
import { awaitDesktopOver } from '../../local/guest/desktop-ready.ts'
import type { MuxGuest } from './mux-guest.ts'

const retryMs = 20

/**
 * Resolves when the agent answers and the desktop can be used. Nothing reports when a socket appears, so it is tried.
 *
 * @param beside what can be done once the machine is reached, while its desktop starts. It is never left under way.
 */
export async function awaitReady(
  guest: MuxGuest,
  isPainted: boolean,
  signal: AbortSignal,
  beside: () => Promise<void> = async () => {},
): Promise<void> {
  await guest.session()
  const desktop = async () => {
    const display = await connected(() => guest.connect('x11', signal), signal)
    await awaitDesktopOver(display, isPainted, signal)
    const { socket } = await connected(() => ask(guest, { op: 'ping' }, { signal }), signal)
    socket.destroy()
  }
  for (const result of await Promise.allSettled([desktop(), beside()]))
    if (result.status === 'rejected') throw result.reason
}

async function connected<Result>(connect: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;)
    try {
      signal.throwIfAborted()
      return await connect()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof MachineError && error.code === 'REFUSED')) throw error
      await pause(retryMs, undefined, { signal })
    }
}
