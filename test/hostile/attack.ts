import type { Asked } from '../faults/calls.ts'

export interface Program {
  readonly file: string
  readonly what: string
  readonly user: 'root' | 'user'
  /** Whether it takes the place of a server that the service connects to. */
  readonly isImposter?: boolean
}

/** A way in which a tenant hurts others, from inside its machine, through the API, or both. */
export interface Attack {
  readonly name: string
  /** A program of attacks/ that runs in the machine, and what it does. */
  readonly program?: Program
  /** Calls that the tenant makes again and again meanwhile. `/` begins a path of its sandbox. */
  readonly calls: readonly Asked[]
  /** How many callers make them at the same time. */
  readonly callers?: number
  /** Whether the calls go to a mapped port, on which the program listens. */
  readonly isMapped?: boolean
  /** Whether the calls are made without credentials. */
  readonly isAnonymous?: boolean
}
