import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../contract/errors.ts'

/** A desktop whose server was killed comes back within about a second. */
const patienceMs = 3000
const pauseMs = 30

/** Dials again for a while: no event tells of a socket inside a machine. */
export async function dialPatiently(dial: () => Promise<Duplex>, isWanted: () => boolean): Promise<Duplex> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    if (!isWanted()) throw new MachineError('STATE', 'the machine has ended or was let go of')
    try {
      return await dial()
    } catch (error) {
      if (waitedMs >= patienceMs) throw error
      await pause(pauseMs)
    }
  }
}
