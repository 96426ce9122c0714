import { setTimeout as pause } from 'node:timers/promises'
import type { AdbCredentialStore } from '@yume-chan/adb'
import { type AdbLink, asMachineError } from '../../adb/adb-link.ts'
import { MachineError } from '../../contract/errors.ts'
import { openLink } from './open-link.ts'

/** A device that is still there takes a new connection within this, so that whoever waits for its end hears of it within 2 s. */
const redialMs = 1500
const betweenMs = 100

/** A connection to a device that is made again when it was lost; the device has vanished where that fails. */
export class Connection {
  /** Why the device is gone; never settles because of `close`. */
  readonly lost: Promise<string>
  readonly address: string
  readonly #keys: AdbCredentialStore
  readonly #loss = Promise.withResolvers<string>()
  #link: Promise<AdbLink>
  #isClosed = false

  private constructor(address: string, keys: AdbCredentialStore, link: AdbLink) {
    this.address = address
    this.#keys = keys
    this.lost = this.#loss.promise
    this.#link = Promise.resolve(link)
    this.#follow(link)
  }

  static async open(address: string, keys: AdbCredentialStore): Promise<Connection> {
    return new Connection(address, keys, await openLink(address, keys))
  }

  /** The one that works now. */
  async link(): Promise<AdbLink> {
    if (this.#isClosed) throw new MachineError('STATE', 'the machine was let go of')
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
      const again = this.#redial()
      this.#link = again
      again.then(
        next => (this.#isClosed ? next.close() : this.#follow(next)),
        error => this.#loss.resolve(`The device ${this.address} is gone: ${asMachineError(error).message}`),
      )
    })
  }

  async #redial(): Promise<AdbLink> {
    const deadlineMs = performance.now() + redialMs
    for (;;) {
      const late = pause(deadlineMs - performance.now(), undefined, { ref: false }).then(() => {
        throw new MachineError('MACHINE_FAILED', 'It does not answer.')
      })
      const opening = openLink(this.address, this.#keys)
      try {
        return await Promise.race([opening, late])
      } catch (error) {
        opening.then(
          link => link.close(),
          () => {},
        )
        late.catch(() => {})
        if (this.#isClosed || performance.now() + betweenMs > deadlineMs) throw error
        await pause(betweenMs)
      }
    }
  }
}
