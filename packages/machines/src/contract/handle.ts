export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/**
 * What a caller stores to find its machine again, also after a restart of the service.
 * `state` is opaque outside the engine named here; `version` is that engine's own.
 */
export interface MachineHandle {
  readonly engine: string
  readonly version: number
  readonly state: Json
}
