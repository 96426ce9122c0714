import type { Failure } from '@sandglass/supervision'
import type { ComponentRestart } from '../../../contract/health.ts'
import type { Death } from '../../../contract/machine.ts'
import { ask } from './agent-client.ts'
import type { Guest } from './guest.ts'
import { GuestReports } from './guest-reports.ts'

/** A connection to process 1 of a machine. The kernel closes it when the process ends for any reason. */
export interface Watch {
  readonly died: Promise<Death>
  /** Called when a component of the desktop has ended and was restarted. */
  onRestart: (restart: ComponentRestart) => void
  /** Called with the reason when the machine cannot be reached, and with undefined when it can be again. */
  onReach?: (failure: Failure | undefined) => void
  close(): void
}

/** A guest may send without end, so reading is paused for a second above this. A report has about fifty bytes. */
const maxBytesPerSecond = 16 * 1024

export async function watchMachine(guest: Guest): Promise<Watch> {
  const { socket } = await ask(guest, { op: 'watch' }, { signal: AbortSignal.timeout(10_000) })
  const died = Promise.withResolvers<Death>()
  let closed = false
  let isEnding = false
  const reports = new GuestReports(report => {
    if (report.kind === 'restarted') return watch.onRestart(report.restart)
    isEnding = true
    // The machine waits a moment for those who watch it to know.
    socket.destroy()
  })
  let received = 0
  socket.on('data', (bytes: Buffer) => {
    received += bytes.length
    if (received <= maxBytesPerSecond) return reports.receive(bytes)
    socket.pause()
    setTimeout(() => {
      received = 0
      socket.resume()
    }, 1000).unref()
  })
  socket.on('end', () => socket.destroy())
  socket.on('close', () => {
    if (!closed) reasonOf(guest, isEnding).then(died.resolve, () => died.resolve(forgotten))
  })
  // A watch must not keep the service from exiting.
  socket.unref()
  const watch: Watch = {
    died: died.promise,
    onRestart: () => {},
    close() {
      closed = true
      socket.destroy()
    },
  }
  return watch
}

/**
 * Nobody is told any more how a machine ended that is being destroyed, or that was given to somebody else. That must not be a failure
 * of the process that watches it.
 */
const forgotten: Death = { reason: 'the machine has ended, or belongs to somebody else now', orderly: false }

async function reasonOf(guest: Guest, isEnding: boolean): Promise<Death> {
  const { hasEnded, ranOutOfMemory } = await guest.ending()
  if (!hasEnded)
    return { reason: 'the machine runs but no longer answers', orderly: false, cause: 'engine-lost' }
  if (isEnding) return { reason: 'the machine was shut down from inside', orderly: true }
  if (ranOutOfMemory)
    return {
      reason: 'the machine ran out of memory and its first process was killed',
      orderly: false,
      cause: 'out-of-memory',
    }
  return { reason: 'the first process of the machine ended', orderly: false }
}
