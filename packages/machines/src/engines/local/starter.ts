import type { CgroupLayout } from './oci/cgroups.ts'
import type { ProcessorSets } from './oci/processor-sets.ts'
import type { Runtimes } from './oci/runtimes.ts'
import type { Settings } from './options.ts'
import type { Lower } from './records.ts'

/** What the machines of an image stand on. */
export interface Starter {
  readonly settings: Settings
  readonly runtimes: Runtimes
  readonly layout: CgroupLayout
  readonly processors: ProcessorSets
  readonly guestDir: string
  readonly apparmor: string | undefined
  readonly lower: Lower
}
