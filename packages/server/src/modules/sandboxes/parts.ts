import type { DatabaseClock } from '../../db/clock.ts'
import type { Database } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import type { Placement } from '../../placement/placement.ts'
import type { Catalogue } from '../shapes/catalogue.ts'
import type { SandboxCreation } from './create.ts'
import type { MachinePower } from './power.ts'

/** What is done with sandboxes is made of. */
export interface SandboxParts {
  readonly db: Database
  readonly clock: DatabaseClock
  readonly shapes: Catalogue
  readonly placement: Placement
  readonly keeper: MachineKeeper
  readonly creation: SandboxCreation
  readonly power: MachinePower
  /** A machine was claimed or doomed: the pool looks after itself. */
  readonly onChange: () => void
}
