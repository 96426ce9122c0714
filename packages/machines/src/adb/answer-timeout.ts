import { MachineError } from '../contract/errors.ts'
import type { AdbLink } from './adb-link.ts'

/** A device that is there has done within this what is asked of it in one go. */
const patienceMs = 15_000

/** Waits for what a device answers, as long as there is a connection to it and no longer than is sensible. */
export class Patience {
  readonly #link: AdbLink
  readonly #waiting = new Set<(error: MachineError) => void>()
  #isLost = false

  constructor(link: AdbLink) {
    this.#link = link
    void link.closed.then(() => {
      this.#isLost = true
      for (const fail of this.#waiting) fail(lost())
    })
  }

  /** A device that does not answer is let go of, so that nobody hears what it says too late. */
  async answer<T>(asked: Promise<T>): Promise<T> {
    const { promise: failure, reject: fail } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      fail(new MachineError('MACHINE_FAILED', `The device did not answer within ${patienceMs / 1000} s.`))
      this.#link.close()
    }, patienceMs)
    this.#waiting.add(fail)
    if (this.#isLost) fail(lost())
    try {
      return await Promise.race([asked, failure])
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(fail)
    }
  }
}

function lost(): MachineError {
  return new MachineError('MACHINE_FAILED', 'The connection to the device was lost.')
}
