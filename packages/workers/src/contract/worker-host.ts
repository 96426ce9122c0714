import type { Duplex } from 'node:stream'
import type { MachineHandle } from '@sandglass/machines/contract'

/** A worker process. */
export interface StartedWorker {
  readonly pid: number
  /** The name of the file in which its frames wait to be encoded, if it has one. */
  readonly file?: string | undefined
  /** The connection to it, for the methods of workers. It ends with the process. */
  readonly link: Duplex
  /** Lets the worker connect to a machine from now on. */
  admit(handle: MachineHandle): Promise<void>
  /** The worker may no longer connect to the machine. */
  dismiss(handle: MachineHandle): void
  /** Ends the process, whatever it is doing. */
  kill(): void
}

/** Starts workers, which requires rights that the front does not have. */
export interface WorkerHost {
  /** Resolves when the process was started. With an old file, it only encodes what waits there. */
  start(oldFile?: string): Promise<StartedWorker>
  /** Deletes the files of workers that have ended, except these. */
  keepFiles(files: readonly string[]): Promise<void>
}
