import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Catalogue, CatalogueShape } from '../modules/shapes/catalogue.ts'
import { countPooled, doomPool, insertMachine } from '../records/machines.ts'
import { capacityOf } from './engine-capacity.ts'
import { obstacleTo } from './engines.ts'
import type { MachineKeeper } from './keeper.ts'
import { noChoices, specOf } from './spec.ts'

/** The number of machines that the pool leaves free for creates that cannot use it. */
const reservedCapacity = 2

/** Keeps booted machines ready for each shape that has a `warm` count, so that a create only needs to claim one. */
export class WarmPool {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #shapes: Catalogue
  readonly #log: Logger
  readonly #isDraining: () => boolean
  #filling: Promise<void> | undefined
  #isRefillRequested = false
  #closed = false

  constructor(
    db: Database,
    keeper: MachineKeeper,
    shapes: Catalogue,
    log: Logger,
    isDraining: () => boolean = () => false,
  ) {
    this.#db = db
    this.#keeper = keeper
    this.#shapes = shapes
    this.#log = log
    this.#isDraining = isDraining
  }

  /**
   * Fills the pool in the background. If it is called while the pool is being filled, the pool is checked once more
   * afterwards.
   */
  refill(): void {
    this.#isRefillRequested = true
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#filling
  }

  async #fill(): Promise<void> {
    while (this.#isRefillRequested && !this.#closed) {
      this.#isRefillRequested = false
      for (const shape of this.#shapes.all())
        if (shape.warm > 0)
          await this.#fillShape(shape).catch(error =>
            this.#log.warn({ error }, 'the warm pool could not be filled'),
          )
      if (this.#isDraining())
        await this.#emptyPool().catch(error => this.#log.warn({ error }, 'the warm pool was not emptied'))
    }
  }

  /** Destroys the pooled machines, because a draining node keeps only the machines of sandboxes. */
  async #emptyPool(): Promise<void> {
    await doomPool(this.#db, this.#keeper.nodeId)
    await this.#keeper.destroyDoomed()
  }

  async #fillShape(shape: CatalogueShape): Promise<void> {
    const { nodeId, engines } = this.#keeper
    if ((await obstacleTo(engines, shape)) !== undefined) return
    const engine = this.#keeper.engineOf(shape)
    let missing = shape.warm - (await countPooled(this.#db, nodeId, shape.name))
    // Create one machine at a time, so that filling the pool leaves processors for creates and claims.
    for (; missing > 0 && !this.#closed && !this.#isDraining(); missing--) {
      const { free } = await capacityOf(engine, shape)
      if (free <= reservedCapacity) return
      const spec = this.#keeper.environment.seal(specOf(shape, noChoices))
      const row = await insertMachine(this.#db, { nodeId, engine: shape.engine, shapeName: shape.name, spec })
      await this.#keeper.make(row, 'pool')
    }
  }
}
