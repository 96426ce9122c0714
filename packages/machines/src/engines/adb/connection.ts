import { setTimeout as pause } from 'node:timers/promises'
import { type AdbLink, asMachineError } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import type { DeviceRoute } from './device-route.ts'
import { openLink } from './open-link.ts'

/**
 * A device that is still there accepts a new connection within this time. It is short so that the end of a machine is
 * reported within 2 s.
 */
const reconnectTimeoutMs = 1500
const retryMs = 100

/** A connection to a device that is reopened when it is lost. If that fails, the device is considered gone. */
export class Connection {
  /** Resolves with the reason when the device is gone, but not because of `close`. */
  readonly lost: Promise<string>
  readonly route: DeviceRoute
  readonly #loss = Promise.withResolvers<string>()
  #link: Promise<AdbLink>
  #isClosed = false

  private constructor(route: DeviceRoute, link: AdbLink) {
    this.route = route
    this.lost = this.#loss.promise
    this.#link = Promise.resolve(link)
    this.#follow(link)
  }

  static async open(route: DeviceRoute): Promise<Connection> {
    return new Connection(route, await openLink(route))
  }

  /** The current connection. */
  async link(): Promise<AdbLink> {
    if (this.#isClosed) throw new MachineError('STATE', 'the machine was closed')
    return await this.#link
  }

  close(): void {
    this.#isClosed = true
    this.#link.then(
      link => link.close(),
      () => {},
    )
  }

  #follow(link: AdbLink): void {
    void link.closed.then(() => {
      if (this.#isClosed) return
      const again = this.#reconnect()
      this.#link = again
      again.then(
        next => (this.#isClosed ? next.close() : this.#follow(next)),
        error =>
          this.#loss.resolve(`The device ${this.route.address} is gone: ${asMachineError(error).message}`),
      )
    })
  }

  async #reconnect(): Promise<AdbLink> {
    const deadlineMs = performance.now() + reconnectTimeoutMs
    // What an earlier attempt was told says more than that the last one was cut short.
    let failure: unknown = new MachineError('MACHINE_FAILED', 'It does not answer.')
    for (;;) {
      const late = pause(deadlineMs - performance.now(), undefined, { ref: false }).then(() => {
        throw failure
      })
      const opening = openLink(this.route)
      try {
        return await Promise.race([opening, late])
      } catch (error) {
        opening.then(
          link => link.close(),
          () => {},
        )
        late.catch(() => {})
        failure = error
        if (this.#isClosed || performance.now() + retryMs > deadlineMs) throw error
        await pause(retryMs)
      }
    }
  }
}
