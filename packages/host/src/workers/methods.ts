import { method } from '@sandglass/rpc'
import { z } from 'zod'
import { Handle, Passed } from '../access-methods.ts'

/** The number by which the host knows a worker. */
const Worker = z.strictObject({ worker: z.int() })

/** What the front can ask of the host about workers: processes without rights that talk to machines. */
export const workerHostMethods = {
  /** The connection leads to the worker. */
  startWorker: method({ args: z.strictObject({}), result: Passed.extend({ worker: z.int(), pid: z.int() }) }),
  /** Lets a worker connect to a machine. */
  admit: method({ args: Worker.extend({ handle: Handle }), result: z.void() }),
  dismiss: method({ args: Worker.extend({ handle: Handle }), result: z.void() }),
  endWorker: method({ args: Worker, result: z.void() }),
}
export type WorkerHostMethods = typeof workerHostMethods

/** What the host tells the front about workers. */
export const workerHostNotices = {
  /** A connection to a worker that ends while it is passed may stay open, so its end must be told. */
  workerEnded: Worker,
}
export type WorkerHostNotices = typeof workerHostNotices
