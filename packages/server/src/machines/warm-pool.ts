import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { Catalogue, CatalogueShape } from '../modules/shapes/catalogue.ts'
import { countPooled, doomPool, insertMachine } from '../records/machines.ts'
import { capacityOf } from './engine-capacity.ts'
import { obstacleTo } from './engines.ts'
import type { MachineKeeper } from './keeper.ts'
import { noChoices, specOf } from './spec.ts'

/** Capacity that the pool leaves for machines that somebody asks for. */
const capacityKept = 2

/** Machines booted ahead for each shape that asks for it, so that a create is a claim. */
export class WarmPool {
  readonly #db: Database
  readonly #keeper: MachineKeeper
  readonly #shapes: Catalogue
  readonly #log: Logger
  readonly #isDraining: () => boolean
  #filling: Promise<void> | undefined
  #again = false
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

  /** Brings the pool to its size in the background; asked again meanwhile, it looks again afterwards. */
  refill(): void {
    this.#again = true
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#filling
  }

  async #fill(): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false
      for (const shape of this.#shapes.all())
        if (shape.warm > 0)
          await this.#fillShape(shape).catch(error =>
            this.#log.warn({ error }, 'the warm pool could not be filled'),
          )
      if (this.#isDraining())
        await this.#empty().catch(error => this.#log.warn({ error }, 'the warm pool was not emptied'))
    }
  }

  /** A node that is drained keeps no machines but those of sandboxes. */
  async #empty(): Promise<void> {
    await doomPool(this.#db, this.#keeper.nodeId)
    await this.#keeper.destroyDoomed()
  }

  async #fillShape(shape: CatalogueShape): Promise<void> {
    const { nodeId, engines } = this.#keeper
    if ((await obstacleTo(engines, shape)) !== undefined) return
    const engine = this.#keeper.engineOf(shape)
    let missing = shape.warm - (await countPooled(this.#db, nodeId, shape.name))
    // One after the other: a claim that waits for a processor is what the pool is there to spare.
    for (; missing > 0 && !this.#closed && !this.#isDraining(); missing--) {
      const { free } = await capacityOf(engine, shape)
      if (free <= capacityKept) return
      const spec = specOf(shape, noChoices)
      const row = await insertMachine(this.#db, { nodeId, engine: shape.engine, shapeName: shape.name, spec })
      await this.#keeper.make(row, 'pool')
    }
  }
}
