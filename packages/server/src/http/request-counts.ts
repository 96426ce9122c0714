import type { Principal } from '../auth/principal.ts'

/** The maximum number of callers of each kind. A new caller then evicts the one whose window started first. */
const maxCallers = 50_000
const windowMs = 60_000

/** The current window of one caller. */
export interface Window {
  count: number
  readonly endsAt: number
}

/** Counts requests per caller, in windows of a minute that start with the caller's first request. */
export class RequestCounts {
  /** By kind and id of the caller. The windows are in the order in which they end. */
  readonly #windows: Readonly<Record<Principal['kind'], Map<string, Window>>> = {
    apiKey: new Map(),
    user: new Map(),
    trialToken: new Map(),
    operator: new Map(),
  }

  /** Counts one request. */
  count({ kind, id }: Pick<Principal, 'kind' | 'id'>, now = performance.now()): Window {
    const windows = this.#windows[kind]
    const window = windows.get(id)
    if (window === undefined || window.endsAt <= now) return begin(windows, id, now)
    window.count++
    return window
  }
}

function begin(windows: Map<string, Window>, id: string, now: number): Window {
  const window = { count: 1, endsAt: now + windowMs }
  windows.delete(id)
  if (windows.size >= maxCallers) {
    const [first] = windows.keys()
    if (first !== undefined) windows.delete(first)
  }
  windows.set(id, window)
  return window
}
