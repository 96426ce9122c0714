import type { Settle } from '@sandglass/protocol'
import type { SettleRequest } from '@sandglass/workers/contract'

/** A machine takes longer to come to rest than its screen: programs start, and pages load. */
const timeouts: Readonly<Record<Settle['until'], number>> = { machine: 9000, screen: 2000 }

/** Fills in what a caller left out. */
export function settleRequest({ quietMs, until, timeoutMs, maxMs }: Settle): SettleRequest {
  return { quietMs, until, maxMs: timeoutMs ?? maxMs ?? timeouts[until] }
}
