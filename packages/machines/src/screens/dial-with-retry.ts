import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../contract/errors.ts'

/** A desktop whose X server was killed is back within about a second. */
const timeoutMs = 3000
const retryMs = 30

/** Retries a connection for a while, because no event announces a socket inside a machine. */
export async function dialWithRetry(dial: () => Promise<Duplex>, isWanted: () => boolean): Promise<Duplex> {
  for (let waitedMs = 0; ; waitedMs += retryMs) {
    if (!isWanted()) throw new MachineError('STATE', 'the machine has ended or was closed')
    try {
      return await dial()
    } catch (error) {
      if (waitedMs >= timeoutMs) throw error
      await pause(retryMs)
    }
  }
}
