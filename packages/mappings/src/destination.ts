import type { IncomingMessage } from 'node:http'
import type { Dialable } from './dialable.ts'
import type { Way } from './relay.ts'

/** How a request reaches its target through another process. */
export type Route = Pick<Way, 'upstream' | 'url' | 'headers' | 'toClient' | 'faultOf'>

/** Where a mapping leads: into a machine of this process, or to the process that has the machine. */
export type Destination = {
  /** How long the guest may take to begin its response, if that differs from the limit for all mappings. */
  readonly waitMs?: number | undefined
} & (
  | { readonly machine: Dialable; readonly target: string; readonly onUse: () => void }
  /** `route` throws an ApiError if the request must not be forwarded, for example because it was already. */
  | { readonly route: (request: IncomingMessage) => Route }
)
