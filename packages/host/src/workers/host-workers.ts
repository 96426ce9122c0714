import type { Socket } from 'node:net'
import type { MachineHandle } from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import type { PassedSockets } from '../passed-sockets.ts'
import { reached } from '../reached.ts'
import type { WorkerHostMethods } from './methods.ts'

/** Starts workers through the host, for the front. */
export class HostWorkers {
  readonly #host: Pick<Caller<WorkerHostMethods>, 'call'>
  readonly #passed: Pick<PassedSockets, 'take'>
  /** What to do when a worker ends. It may end before its connection has arrived. */
  readonly #ends = new Map<number, PromiseWithResolvers<void>>()

  constructor(host: Pick<Caller<WorkerHostMethods>, 'call'>, passed: Pick<PassedSockets, 'take'>) {
    this.#host = host
    this.#passed = passed
  }

  async start(): Promise<HostedWorker> {
    const { worker, pid, connection } = await reached(this.#host.call('startWorker', {}))
    const link = await this.#passed.take(connection)
    void this.#endOf(worker).promise.then(() => {
      this.#ends.delete(worker)
      link.destroy()
    })
    return new HostedWorker(this.#host, worker, pid, link)
  }

  /** The host says that a worker has ended. */
  ended(worker: number): void {
    this.#endOf(worker).resolve()
  }

  #endOf(worker: number): PromiseWithResolvers<void> {
    const known = this.#ends.get(worker) ?? Promise.withResolvers<void>()
    this.#ends.set(worker, known)
    return known
  }
}

/** A worker that the host has started. */
export class HostedWorker {
  readonly pid: number
  readonly link: Socket
  readonly #host: Pick<Caller<WorkerHostMethods>, 'call'>
  readonly #number: number

  constructor(host: Pick<Caller<WorkerHostMethods>, 'call'>, number: number, pid: number, link: Socket) {
    this.#host = host
    this.#number = number
    this.pid = pid
    this.link = link
  }

  admit(handle: MachineHandle): Promise<void> {
    return reached(this.#host.call('admit', { worker: this.#number, handle }))
  }

  dismiss(handle: MachineHandle): void {
    this.#host.call('dismiss', { worker: this.#number, handle }).catch(() => {})
  }

  kill(): void {
    this.#host.call('endWorker', { worker: this.#number }).catch(() => {})
  }
}
