import { setTimeout as pause } from 'node:timers/promises'
import type { Death } from '../../../contract/machine.ts'
import type { Ending } from '../../local/guest/guest.ts'
import type { ConsoleAccess } from './console-access.ts'

/** Notices the end of a machine. */
export interface ConsoleWatch {
  readonly died: Promise<Death>
  close(): void
}

/** How often, and how long apart, a machine is connected to again that has not ended although its connection has. */
const attempts = 10
const retryMs = 200

/** Keeps a connection open that ends with QEMU. Fails if there is none, so that only running machines are opened. */
export async function watchConsole(access: ConsoleAccess): Promise<ConsoleWatch> {
  const died = Promise.withResolvers<Death>()
  const closing = new AbortController()
  const follow = async () => {
    const socket = await access.connect(
      'input',
      AbortSignal.any([closing.signal, AbortSignal.timeout(10_000)]),
    )
    closing.signal.addEventListener('abort', () => socket.destroy(), { once: true })
    // A watch must not keep the service from exiting.
    socket.unref()
    socket.resume()
    socket.on('end', () => socket.destroy())
    socket.on('close', () => {
      if (!closing.signal.aborted) void explain()
    })
    if (closing.signal.aborted) socket.destroy()
  }
  const explain = async () => {
    for (let attempt = 0; attempt < attempts && !closing.signal.aborted; attempt++) {
      const ending = await access.ending().catch(() => undefined)
      if (ending?.hasEnded) return died.resolve(deathOf(ending))
      try {
        return await follow()
      } catch {
        await pause(retryMs, undefined, { ref: false })
      }
    }
    if (!closing.signal.aborted)
      died.resolve({ reason: 'the machine can no longer be reached', orderly: false, cause: 'engine-lost' })
  }
  await follow()
  return { died: died.promise, close: () => closing.abort() }
}

function deathOf({ ranOutOfMemory, wasShutDown }: Ending): Death {
  if (wasShutDown) return { reason: 'the machine was shut down from inside', orderly: true }
  return ranOutOfMemory
    ? { reason: 'QEMU ran out of memory and was killed', orderly: false, cause: 'out-of-memory' }
    : { reason: 'the process of the machine (QEMU) ended', orderly: false }
}
