/** A value that survives `JSON.stringify` and `JSON.parse`. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/**
 * What a caller stores to find its machine again, also after a restart of the service. `state` is opaque outside the engine
 * that is named here. `version` belongs to that engine and lets it read handles that an older release stored.
 */
export interface MachineHandle {
  readonly engine: string
  readonly version: number
  readonly state: Json
}
