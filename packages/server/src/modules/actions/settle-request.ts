import type { Settle } from '@sandglass/protocol'
import type { SettleRequest } from '@sandglass/workers/contract'

/** Leaves the default timeout to the worker, which knows what can be observed in the machine. */
export function settleRequest({ quietMs, until, timeoutMs, maxMs }: Settle): SettleRequest {
  return { quietMs, until, maxMs: timeoutMs ?? maxMs }
}
