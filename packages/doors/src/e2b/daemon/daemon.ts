import { createContextKey } from '@connectrpc/connect'
import type { Files } from '@sandglass/machines/contract'
import type { Programs } from './programs.ts'
import type { GuestUsers } from './users.ts'
import type { Watchers } from './watchers.ts'

/** What a client can use of one sandbox, in one request. */
export interface Daemon {
  readonly programs: Programs
  readonly files: Files
  readonly users: GuestUsers
  readonly watchers: Watchers
  /** The user as whom the client acts; the default one of the sandbox if it is undefined. */
  readonly user: string | undefined
  /** Resolves when what is about to be done is in the audit log. */
  record(): Promise<void>
}

/** How the service hands the daemon of a request to its method. */
export const daemonKey = createContextKey<Daemon | undefined>(undefined, {
  description: 'the sandbox of the request',
})

/** Whether a request has reached its method. One that fails before is malformed, whatever the library says. */
export const reachedKey = createContextKey(false, { description: 'whether the method was reached' })
