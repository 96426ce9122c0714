import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'
import { ask } from '../../local/guest/agent-client.ts'
import { awaitDesktopOver } from '../../local/guest/desktop-ready.ts'
import type { MuxGuest } from './mux-guest.ts'

const retryMs = 20

/** Resolves when the agent answers and the desktop can be used. Nothing reports when a socket appears, so it is tried. */
export async function awaitReady(guest: MuxGuest, isPainted: boolean, signal: AbortSignal): Promise<void> {
  await awaitDesktopOver(await connected(() => guest.connect('x11', signal), signal), isPainted, signal)
  const { socket } = await connected(() => ask(guest, { op: 'ping' }, { signal }), signal)
  socket.destroy()
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
