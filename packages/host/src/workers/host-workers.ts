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

  /** With an old file, the worker only encodes what waits there. */
  async start(oldFile?: string): Promise<HostedWorker> {
    const args = oldFile === undefined ? {} : { oldFile }
    const { connection, ...started } = await reached(this.#host.call('startWorker', args))
    const link = await this.#passed.take(connection)
    void this.#endOf(started.worker).promise.then(() => {
      this.#ends.delete(started.worker)
      link.destroy()
    })
    return new HostedWorker(this.#host, started, link)
  }

  /** Deletes the files of workers that have ended, except these. */
  async keepFiles(files: readonly string[]): Promise<void> {
    await reached(this.#host.call('keepFiles', { files: files.filter(name => name.startsWith('worker-')) }))
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
  /** The file in which its frames wait to be encoded. */
  readonly file: string | undefined
  readonly #number: number

  constructor(
    host: Pick<Caller<WorkerHostMethods>, 'call'>,
    { worker, pid, file }: { readonly worker: number; readonly pid: number; readonly file?: string },
    link: Socket,
  ) {
    this.#host = host
    this.#number = worker
    this.pid = pid
    this.file = file
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
