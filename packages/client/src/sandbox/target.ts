import type { Sandglass } from '../sandglass.ts'

/** Which sandbox a call is for, and through which client. */
export interface Target {
  readonly client: Sandglass
  readonly sandboxId: string
}
