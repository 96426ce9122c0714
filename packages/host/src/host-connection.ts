import type { Duplex } from 'node:stream'
import { Caller, type LinkClosed } from '@sandglass/rpc'
import { HostEngine } from './host-engine.ts'
import { machineErrors } from './machine-errors.ts'
import { type HostMethods, hostMethods } from './methods.ts'
import { PassedSockets } from './passed-sockets.ts'
import { ReachableMachines } from './reachable-machines.ts'
import { reached } from './reached.ts'
import type { ShapeOffer } from './shape-offer.ts'
import { HostWorkers } from './workers/host-workers.ts'
import { type WorkerHostNotices, workerHostNotices } from './workers/methods.ts'

/** An engine of the host that is open. */
export interface OpenedThroughHost {
  readonly engine: HostEngine
  /** What it adds to the catalogue of shapes now. */
  readonly offer?: () => Promise<ShapeOffer>
}

/** The connection of the front to the process that does what requires root. */
export class HostConnection {
  readonly #caller: Caller<HostMethods, WorkerHostNotices>
  readonly #reachable = new ReachableMachines()
  readonly #passed = new PassedSockets()
  /** Starts the processes that talk to machines. */
  readonly workers: HostWorkers
  /** Resolves with the reason when the host has ended. */
  readonly ended: Promise<LinkClosed>

  constructor(stream: Duplex) {
    this.#caller = new Caller(stream, {
      methods: hostMethods,
      notices: workerHostNotices,
      onNotice: {
        workerEnded: ({ worker }) => this.workers.ended(worker),
        reachable: ({ id, handle }) => this.#reachable.tell(id, handle),
      },
      errors: machineErrors,
    })
    this.ended = this.#caller.ended
    this.workers = new HostWorkers(this.#caller, this.#passed)
  }

  /** Checks the host for an engine, and installs what is missing. It throws what only the operator can fix. */
  async configure(engine: string): Promise<void> {
    await this.#caller.call('configure', { engine })
  }

  /** Opens an engine. Its machines are opened by workers, since this process must not read what they send. */
  async open(name: string): Promise<OpenedThroughHost> {
    const opened = await this.#caller.call('open', { engine: name })
    const engine = new HostEngine(this.#caller, name, opened, {
      reachable: this.#reachable,
      passed: this.#passed,
    })
    const offer = () => reached(this.#caller.call('offer', { engine: name }))
    return { engine, ...(opened.hasOffer && { offer }) }
  }

  /** Settles when every image of an engine is built or has failed. */
  async prepared(engine: string): Promise<void> {
    await this.#caller.call('prepared', { engine })
  }

  close(): void {
    this.#caller.close()
  }
}
