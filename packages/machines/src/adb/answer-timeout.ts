import { MachineError } from '../contract/errors.ts'
import type { AdbLink } from './adb-link.ts'

/** How long a device may take to answer one request. */
const timeoutMs = 15_000

/** Limits how long callers wait for a device: until the timeout, or until the connection is lost. */
export class AnswerTimeout {
  readonly #link: AdbLink
  readonly #waiting = new Set<(error: MachineError) => void>()
  #isLost = false

  constructor(link: AdbLink) {
    this.#link = link
    void link.closed.then(() => {
      this.#isLost = true
      for (const fail of this.#waiting) fail(connectionLost())
    })
  }

  /**
   * Rejects if the device does not answer in time. The connection is closed then, so that a late answer cannot be
   * taken for the answer to another request.
   */
  async answer<T>(asked: Promise<T>): Promise<T> {
    const { promise: failure, reject: fail } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      fail(new MachineError('MACHINE_FAILED', `The device did not answer within ${timeoutMs / 1000} s.`))
      this.#link.close()
    }, timeoutMs)
    this.#waiting.add(fail)
    if (this.#isLost) fail(connectionLost())
    try {
      return await Promise.race([asked, failure])
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(fail)
    }
  }
}

function connectionLost(): MachineError {
  return new MachineError('MACHINE_FAILED', 'The connection to the device was lost.')
}
