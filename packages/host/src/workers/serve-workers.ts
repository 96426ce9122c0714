import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { MachineError } from '@sandglass/machines/contract'
import { type Handlers, Responder } from '@sandglass/rpc'
import { accessMethods } from '../access-methods.ts'
import { machineErrors } from '../machine-errors.ts'
import type { UseEngine } from '../opened-engines.ts'
import { SocketPasser } from '../passed-sockets.ts'
import { accessHandlers } from '../serve-access.ts'
import type { WorkerHostMethods } from './methods.ts'
import { socketPair } from './socket-pair.ts'
import { Admitted } from './worker-access.ts'

/** The descriptor of a worker for its connection to the host. */
export const workerDescriptor = 3

/** The descriptor of a worker for the file in which its frames wait to be encoded. The channel of Node is before it. */
export const fileDescriptor = 5

/** A process without rights. */
export interface StartedChild {
  readonly child: ChildProcess
  /** The name of its file. */
  readonly file?: string
}

/** What starts workers. */
export interface WorkerStarter {
  /** Starts a process without rights, and calls back when it has ended. With an old file, it reads that one. */
  startWorker(onEnd: () => void, oldFile?: string): Promise<StartedChild>
  /** Deletes the files of workers that have ended, except these. */
  keepFiles(files: readonly string[]): Promise<void>
}

interface Worker {
  readonly child: ChildProcess
  readonly admitted: Admitted
}

/** More than any front needs. A front that asks for more does not work as it should. */
const maxWorkers = 512

/** The workers of a host. Each can connect to the machines that the front has given to it, and to no others. */
export class HostedWorkers {
  readonly #starter: WorkerStarter
  readonly #use: UseEngine
  readonly #front: SocketPasser
  readonly #onEnd: (worker: number) => void
  readonly #workers = new Map<number, Worker>()
  #started = 0

  /** `front` passes connections to the front. `onEnd` is called when a worker that the front knows has ended. */
  constructor(
    starter: WorkerStarter,
    use: UseEngine,
    front: SocketPasser,
    onEnd: (worker: number) => void = () => {},
  ) {
    this.#starter = starter
    this.#use = use
    this.#front = front
    this.#onEnd = onEnd
  }

  get handlers(): Handlers<WorkerHostMethods> {
    return {
      startWorker: ({ oldFile }) => this.#startOne(oldFile),
      keepFiles: ({ files }) => this.#starter.keepFiles(files),
      admit: async ({ worker, handle }) => this.#find(worker).admitted.add(handle),
      dismiss: async ({ worker, handle }) => this.#workers.get(worker)?.admitted.remove(handle),
      endWorker: async ({ worker }) => void this.#workers.get(worker)?.child.kill('SIGKILL'),
    }
  }

  async close(): Promise<void> {
    const children = [...this.#workers.values()].map(({ child }) => child)
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(
      children.map(child => child.exitCode === null && child.signalCode === null && once(child, 'exit')),
    )
  }

  async #startOne(
    oldFile: string | undefined,
  ): Promise<{ worker: number; pid: number; connection: number; file?: string }> {
    if (this.#workers.size >= maxWorkers) throw new MachineError('NO_CAPACITY', 'there are too many workers')
    const worker = ++this.#started
    let hasStarted = false
    const onEnd = () => {
      this.#workers.delete(worker)
      if (hasStarted) this.#onEnd(worker)
    }
    const { child, file } = await this.#starter.startWorker(onEnd, oldFile)
    const link = child.stdio[workerDescriptor]
    if (!(link instanceof Duplex) || child.pid === undefined)
      throw new MachineError('MACHINE_FAILED', 'a worker could not be started')
    const admitted = new Admitted()
    this.#workers.set(worker, { child, admitted })
    try {
      const passer = new SocketPasser(child)
      const handlers = admitted.guard(accessHandlers(this.#use, passer))
      new Responder(link, { methods: accessMethods, handlers, errors: machineErrors })
      const [ofFront, ofWorker] = await socketPair()
      await passer.pass(ofWorker)
      const passed = await this.#front.pass(ofFront)
      this.#find(worker)
      hasStarted = true
      return { worker, pid: child.pid, ...passed, ...(file !== undefined && { file }) }
    } catch (error) {
      child.kill('SIGKILL')
      throw error
    }
  }

  #find(number: number): Worker {
    const worker = this.#workers.get(number)
    if (!worker) throw new MachineError('UNREACHABLE', 'the worker has ended')
    return worker
  }
}
