import type { Duplex } from 'node:stream'
import type { Machine, MachineHandle } from '@sandglass/machines/contract'
import { Caller, type LinkClosed } from '@sandglass/rpc'
import { accessMethods } from '../access-methods.ts'
import { openThroughHost } from '../guest-through-host.ts'
import { machineErrors } from '../machine-errors.ts'
import { PassedSockets } from '../passed-sockets.ts'

/** The host passes the connection to the front before any other. */
const frontConnection = 1

/** A worker's connection to the host. */
export class AccessOfWorker {
  readonly #host: Caller<typeof accessMethods>
  readonly #passed = new PassedSockets()
  /** Resolves with the reason when the host has ended. */
  readonly ended: Promise<LinkClosed>

  constructor(link: Duplex) {
    this.#host = new Caller(link, { methods: accessMethods, errors: machineErrors })
    this.ended = this.#host.ended
  }

  /** The connection to the front. */
  front(): Promise<Duplex> {
    return this.#passed.take(frontConnection)
  }

  open(handle: MachineHandle): Promise<Machine> {
    return openThroughHost(this.#host, this.#passed, handle)
  }
}
