import type { Socket } from 'node:net'
import type { MachineHandle } from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import type { PassedSockets } from '../passed-sockets.ts'
import { reached } from '../reached.ts'
import type { WorkerHostMethods } from './methods.ts'

/** Starts workers through the host, for the front. */
export class HostWorkers {
  readonly #host: Pick<Caller<WorkerHostMethods>, 'call'>
  readonly #passed: PassedSockets

  constructor(host: Pick<Caller<WorkerHostMethods>, 'call'>, passed: PassedSockets) {
    this.#host = host
    this.#passed = passed
  }

  async start(): Promise<HostedWorker> {
    const { worker, pid, connection } = await reached(this.#host.call('startWorker', {}))
    return new HostedWorker(this.#host, worker, pid, await this.#passed.take(connection))
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
