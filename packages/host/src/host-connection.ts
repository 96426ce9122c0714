import type { Duplex } from 'node:stream'
import { Caller, type LinkClosed } from '@sandglass/rpc'
import { HostEngine } from './host-engine.ts'
import { machineErrors } from './machine-errors.ts'
import { type HostMethods, hostMethods } from './methods.ts'
import { PassedSockets } from './passed-sockets.ts'
import { HostWorkers } from './workers/host-workers.ts'
import { type WorkerHostNotices, workerHostNotices } from './workers/methods.ts'

/** The connection of the front to the process that does what requires root. */
export class HostConnection {
  readonly #caller: Caller<HostMethods, WorkerHostNotices>
  /** Starts the processes that talk to machines. */
  readonly workers: HostWorkers
  /** Resolves with the reason when the host has ended. */
  readonly ended: Promise<LinkClosed>

  constructor(stream: Duplex) {
    this.#caller = new Caller(stream, {
      methods: hostMethods,
      notices: workerHostNotices,
      onNotice: { workerEnded: ({ worker }) => this.workers.ended(worker) },
      errors: machineErrors,
    })
    this.ended = this.#caller.ended
    this.workers = new HostWorkers(this.#caller, new PassedSockets())
  }

  /** Checks the host, and installs what is missing. It throws what only the operator can fix. */
  async configure(): Promise<void> {
    await this.#caller.call('configure', {})
  }

  /** Opens the engine. Its machines are opened by workers, since this process must not read what they send. */
  async open(): Promise<HostEngine> {
    return new HostEngine(this.#caller, await this.#caller.call('open', {}))
  }

  /** Settles when every image is built or has failed. */
  async prepared(): Promise<void> {
    await this.#caller.call('prepared', {})
  }

  close(): void {
    this.#caller.close()
  }
}
