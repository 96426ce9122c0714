import type { ApiError } from '@sandglass/protocol'
import type { SandboxRow } from '../../records/sandboxes.ts'

/** How long the caller of a connection may be silent. */
export interface Patience {
  readonly askEveryMs: number
  readonly silentMs: number
}

/** A connection into a machine that is counted among the tunnels of its sandbox, and ends with them. */
export interface OpenConnection {
  /** Ends it on both sides. */
  close(error: ApiError): void
  /** Called every few seconds. Disconnects a caller that has given no sign of life for too long. */
  check(patience: Patience): void
  /** Why it must not go on, although the sandbox runs. */
  whyRevoked?(sandbox: SandboxRow): ApiError | undefined
}
