import type { Logger } from 'pino'
import type { DatabaseClock } from '../db/clock.ts'
import type { Database } from '../db/database.ts'
import type { Channels } from '../db/listener.ts'
import type { Housekeeping } from '../housekeeping.ts'
import { SandboxCreation } from '../modules/sandboxes/create.ts'
import type { SandboxParts } from '../modules/sandboxes/parts.ts'
import { MachinePower } from '../modules/sandboxes/power.ts'
import type { Catalogue } from '../modules/shapes/catalogue.ts'
import type { Placement } from '../placement/placement.ts'
import type { Settings } from '../settings.ts'
import type { Engines } from './engines.ts'
import { Expirer } from './expirer.ts'
import { MachineKeeper } from './keeper.ts'
import type { Identity } from './ledger.ts'
import { handedOutIn, leftAloneIn } from './machine-marks.ts'
import { Reconciler } from './reconcile.ts'
import { Strays } from './strays.ts'
import { UnclaimedMachines } from './unclaimed.ts'
import { WarmPool } from './warm-pool.ts'

const sweepEverySeconds = 30

/** Everything about machines in this process, put together. */
export class NodeMachines {
  readonly sandboxes: SandboxParts
  readonly unclaimed: UnclaimedMachines
  readonly #engines: Engines
  readonly #placement: Placement
  readonly #keeper: MachineKeeper
  readonly #expirer: Expirer
  readonly #pool: WarmPool
  readonly #reconciler: Reconciler
  #started = false

  constructor(
    settings: Settings,
    identity: Identity,
    placement: Placement,
    db: Database,
    clock: DatabaseClock,
    shapes: Catalogue,
    engines: Engines,
    log: Logger,
  ) {
    this.#engines = engines
    this.#placement = placement
    const ready: Engines = {
      ...engines,
      obstacle: (engine, image) =>
        this.#started ? engines.obstacle(engine, image) : 'The service is taking up its machines.',
    }
    const keeper = new MachineKeeper(identity, db, ready, handedOutIn(settings.SANDGLASS_DATA), log)
    this.#keeper = keeper
    this.#expirer = new Expirer(db, clock, log)
    this.#pool = new WarmPool(db, keeper, shapes, log)
    keeper.onLoss = () => this.#pool.refill()
    this.unclaimed = new UnclaimedMachines(log)
    const strays = new Strays(db, keeper, leftAloneIn(settings.SANDGLASS_DATA), this.unclaimed, log)
    this.#reconciler = new Reconciler(db, keeper, strays, shapes.all(), log)
    const creation = new SandboxCreation(keeper, placement, shapes, settings.SANDGLASS_PRIVATE_EGRESS)
    const power = new MachinePower(db, keeper)
    this.sandboxes = { db, clock, shapes, keeper, creation, power, onChange: () => this.#pool.refill() }
  }

  /** What other processes announce of machines and sandboxes. */
  get channels(): Channels {
    return {
      sandbox_ends: end => this.#expirer.arm(Number(end)),
      doomed_machines: nodeId => {
        if (this.#started && this.#placement.isHere(nodeId)) void this.#keeper.destroyDoomed().catch(() => {})
      },
    }
  }

  /** Whether the machines of before the start have been taken up. */
  get isStarted(): boolean {
    return this.#started
  }

  /** Takes up the machines that are there, then makes new ones. The node must have been entered. */
  async start(housekeeping: Housekeeping): Promise<void> {
    await this.#reconciler.takeUp()
    this.#started = true
    await this.#expirer.run()
    this.#pool.refill()
    void this.#engines.prepared.then(() => this.#pool.refill())
    housekeeping.every(sweepEverySeconds, 'reconciling machines', async () => {
      await this.#reconciler.sweep()
      await this.#expirer.run()
      this.#pool.refill()
    })
  }

  async close(): Promise<void> {
    this.#expirer.close()
    await this.#pool.close()
    await this.#keeper.close()
    await this.#engines.close()
  }
}
