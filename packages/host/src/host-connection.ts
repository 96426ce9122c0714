import type { Duplex } from 'node:stream'
import { Caller, type LinkClosed } from '@sandglass/rpc'
import { openThroughHost } from './guest-through-host.ts'
import { HostEngine } from './host-engine.ts'
import { machineErrors } from './machine-errors.ts'
import { hostMethods } from './methods.ts'
import { PassedSockets } from './passed-sockets.ts'

/** The connection of the front to the process that does what requires root. */
export class HostConnection {
  readonly #caller: Caller<typeof hostMethods>
  readonly #passed = new PassedSockets()
  /** Resolves with the reason when the host has ended. */
  readonly ended: Promise<LinkClosed>

  constructor(stream: Duplex) {
    this.#caller = new Caller(stream, { methods: hostMethods, errors: machineErrors })
    this.ended = this.#caller.ended
  }

  /** Checks the host, and installs what is missing. It throws what only the operator can fix. */
  async configure(): Promise<void> {
    await this.#caller.call('configure', {})
  }

  /** Opens the engine. Machines are opened in this process, which reads what they send. */
  async open(): Promise<HostEngine> {
    const capabilities = await this.#caller.call('open', {})
    return new HostEngine(this.#caller, capabilities, handle =>
      openThroughHost(this.#caller, this.#passed, handle),
    )
  }

  /** Settles when every image is built or has failed. */
  async prepared(): Promise<void> {
    await this.#caller.call('prepared', {})
  }

  close(): void {
    this.#caller.close()
  }
}
