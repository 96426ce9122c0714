import type { DatabaseClock } from '../../db/clock.ts'
import type { Database } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import type { MachineMetrics } from '../../machines/machine-metrics.ts'
import type { NodeVolumes } from '../../machines/node-volumes.ts'
import type { SavedDisks } from '../../machines/saved-disks.ts'
import type { Placement } from '../../placement/placement.ts'
import type { Catalogue } from '../shapes/catalogue.ts'
import type { SandboxCreation } from './create.ts'
import type { SandboxWork } from './lifecycle/sandbox-work.ts'
import type { Waking } from './lifecycle/waking.ts'
import type { MachinePower } from './power.ts'

/** The dependencies of the operations on sandboxes. */
export interface SandboxParts {
  readonly db: Database
  readonly clock: DatabaseClock
  readonly shapes: Catalogue
  readonly placement: Placement
  readonly keeper: MachineKeeper
  readonly creation: SandboxCreation
  readonly power: MachinePower
  readonly work: SandboxWork
  readonly waking: Waking
  /** How long a paused sandbox is kept that is to be paused when its time is up. */
  readonly keepSeconds: number
  readonly disks: SavedDisks
  readonly volumes: NodeVolumes
  readonly metrics: MachineMetrics
  /** Call this when a machine was claimed or marked for destruction, so that the warm pool is refilled. */
  readonly onChange: () => void
}
