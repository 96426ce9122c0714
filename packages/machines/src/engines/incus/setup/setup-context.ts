import type { IncusClient } from '../client/index.ts'
import type { ClusterNames } from './names.ts'

/** What a step of the setup works with. */
export interface SetupContext {
  readonly incus: IncusClient
  readonly names: ClusterNames
  /** Prints one line of progress. */
  readonly tell: (line: string) => void
}

/** A problem that the person in front of the terminal can solve. The message is all that they need. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}

/** Formatting disks, joining and moving machines take longer than other calls. */
export const longDeadlineMs = 600_000
