import type { Death, MachineHandle, MachineHealth, MachineReach } from '@sandglass/machines/contract'
import { Caller } from '@sandglass/rpc'
import type { StartedWorker } from '../contract/worker-host.ts'
import { machineErrors } from '../errors.ts'
import { GrantedReaches } from '../reach/granted-reaches.ts'
import { type WorkerMethods, type WorkerNotices, workerMethods, workerNotices } from '../worker/methods.ts'

/** Who wants to know about a machine that is open in a worker. */
export interface MachineListener {
  readonly died: (death: Death) => void
  readonly health: (health: MachineHealth) => void
  readonly ended: () => void
}

/** The right of a worker to connect to a machine. */
export interface Admission {
  /** The number by which the worker asks this process for connections; undefined if the host makes them. */
  readonly opening?: number
  end(): void
}

/** The front's side of one worker. */
export class WorkerLink {
  readonly caller: Caller<WorkerMethods, WorkerNotices>
  readonly worker: StartedWorker
  /** The tenants whose machines it serves. */
  readonly tenants = new Set<string>()
  /** When a tenant last asked for it. */
  usedAtMs = performance.now()
  /** Resolves when the worker is gone. */
  readonly ended: Promise<void>
  readonly #reaches = new GrantedReaches(() => this.caller)
  readonly #listeners = new Map<string, MachineListener>()
  /** What came before anybody listened, because notices may overtake the answer that names the machine. */
  readonly #early = new Map<string, (listener: MachineListener) => void>()

  constructor(worker: StartedWorker) {
    this.worker = worker
    this.caller = new Caller(worker.link, {
      methods: workerMethods,
      notices: workerNotices,
      errors: machineErrors,
      onNotice: {
        died: ({ machine, death }) => this.#tell(machine, listener => listener.died(death)),
        health: ({ machine, health }) => this.#tell(machine, listener => listener.health(health)),
        dial: question => this.#reaches.dial(question),
        told: line => this.#reaches.tell(line),
      },
    })
    this.ended = this.caller.ended.then(() => this.#end())
  }

  /** How many machines are open in it. */
  get machines(): number {
    return this.#listeners.size
  }

  /** Lets the worker connect to a machine: through the host, or through this process if there is a reach. */
  async admit(handle: MachineHandle, reach?: MachineReach): Promise<Admission> {
    if (reach) {
      const opening = this.#reaches.grant(reach)
      return { opening, end: () => this.#reaches.withdraw(opening) }
    }
    await this.worker.admit(handle)
    return { end: () => this.worker.dismiss(handle) }
  }

  listen(machine: string, listener: MachineListener): void {
    this.#listeners.set(machine, listener)
    const early = this.#early.get(machine)
    this.#early.delete(machine)
    early?.(listener)
    if (this.caller.isClosed) this.#end()
  }

  release(machine: string, admission: Admission): void {
    if (!this.#listeners.delete(machine)) return
    admission.end()
    this.caller.call('machine.close', { machine }).catch(() => {})
  }

  /** Ends the process, whatever it is doing. */
  kill(): void {
    this.worker.kill()
    this.caller.close()
  }

  #tell(machine: string, tell: (listener: MachineListener) => void): void {
    const listener = this.#listeners.get(machine)
    if (listener) tell(listener)
    else this.#early.set(machine, tell)
  }

  #end(): void {
    for (const { ended } of this.#listeners.values()) ended()
    this.#listeners.clear()
    this.#reaches.withdrawAll()
    this.worker.kill()
  }
}
