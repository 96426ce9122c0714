import type { Sandbox } from '@sandglass/client'
import type { Tally } from '../tally.ts'

export interface Using {
  readonly box: Sandbox
  readonly random: () => number
  readonly tally: Tally
  /** The ids of sandboxes that somebody uses, to which a use adds those that it makes. */
  readonly made: Set<string>
  /** What has to be undone after the sandbox was deleted. */
  readonly later: (() => Promise<unknown>)[]
}

/** Something that callers do with a sandbox. */
export interface Use {
  readonly name: string
  /** How often it is chosen, compared with others. */
  readonly weight: number
  /** Throws if a call fails, which was counted already. What is wrong otherwise is reported to the tally. */
  run(using: Using): Promise<void>
}
