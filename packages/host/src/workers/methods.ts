import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { Handle, Passed } from '../access-methods.ts'

/** The number by which the host knows a worker. */
const Worker = z.strictObject({ worker: z.int() })

/** The name of a file in which the frames of a worker wait to be encoded. */
const FileName = z.string().regex(/^worker-[0-9a-f-]{36}$/)

/** More than the workers that a service may lose in the time for which screenshots are kept. */
const maxFiles = 10_000

/** What the front can ask of the host about workers: processes without rights that talk to machines. */
export const workerHostMethods = {
  /** The connection leads to the worker. It gets a new file for frames, or reads an old one. */
  startWorker: method({
    args: z.strictObject({ oldFile: FileName.exactOptional() }),
    result: Passed.extend({ worker: z.int(), pid: z.int(), file: FileName.exactOptional() }),
  }),
  /** Deletes the files of workers that have ended, except these. */
  keepFiles: method({ args: z.strictObject({ files: z.array(FileName).max(maxFiles) }), result: z.void() }),
  /** Lets a worker connect to a machine. */
  admit: method({ args: Worker.extend({ handle: Handle }), result: z.void() }),
  dismiss: method({ args: Worker.extend({ handle: Handle }), result: z.void() }),
  endWorker: method({ args: Worker, result: z.void() }),
}
export type WorkerHostMethods = typeof workerHostMethods

/** What the host tells the front without being asked. */
export const workerHostNotices = {
  /** A connection to a worker that ends while it is passed may stay open, so its end must be told. */
  workerEnded: Worker,
  /** A machine that is being created can be opened. */
  reachable: z.strictObject({ id: z.string().max(100), handle: Handle }),
}
export type WorkerHostNotices = typeof workerHostNotices
