import type { Logger } from 'pino'
import type { PublishedCapacity, Shortage } from '../db/schema.ts'
import { capacityOf, type EngineCapacity } from '../machines/engine-capacity.ts'
import { type Engines, obstacleTo } from '../machines/engines.ts'
import type { Catalogue, CatalogueShape } from '../modules/shapes/catalogue.ts'

/** What this node can make, by shape, as it is published for the other processes. */
export class NodeCapacity {
  readonly #shapes: Catalogue
  readonly #engines: Engines
  readonly #log: Logger
  #latest: readonly PublishedCapacity[] | null = null
  #measuring: Promise<void> | undefined

  constructor(shapes: Catalogue, engines: Engines, log: Logger) {
    this.#shapes = shapes
    this.#engines = engines
    this.#log = log
  }

  /** As it was measured last; null where this process makes no machines. */
  get latest(): readonly PublishedCapacity[] | null {
    return this.#latest
  }

  /** Asks every engine. A call that comes while one is under way shares it, also where an engine does not answer. */
  measure(): Promise<void> {
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined
    })
    return this.#measuring
  }

  async #measure(): Promise<void> {
    const offered = this.#shapes.all().filter(({ engine }) => this.#engines.names.includes(engine))
    const asked = new Map<string, Promise<EngineCapacity>>()
    const capacity = await Promise.all(offered.map(shape => this.#ofShape(shape, asked)))
    this.#latest = capacity.length > 0 ? capacity : null
  }

  async #ofShape(
    shape: CatalogueShape,
    asked: Map<string, Promise<EngineCapacity>>,
  ): Promise<PublishedCapacity> {
    const { name: shapeName, engine: engineName, image, diskMiB } = shape
    const full = (shortage: Shortage) => ({ shapeName, engine: engineName, free: 0, shortage })
    const obstacle = await obstacleTo(this.#engines, shape)
    if (obstacle !== undefined) return full({ code: 'machine.NOT_READY', message: obstacle })
    const engine = this.#engines.get(engineName)
    if (!engine) return full({ code: 'machine.NOT_READY', message: `There is no engine ${engineName}.` })
    try {
      // Shapes of one image with disks of one size share an answer.
      const key = `${engineName} ${image} ${diskMiB}`
      const asking = asked.get(key) ?? capacityOf(engine, shape)
      asked.set(key, asking)
      const { free, reason = 'There is no capacity left.' } = await asking
      if (free > 0) return { shapeName, engine: engineName, free }
      return full({ code: 'machine.NO_CAPACITY', message: reason })
    } catch (error) {
      this.#log.warn({ engine: engineName, error }, 'the capacity of an engine is not known')
      return full({ code: 'machine.NOT_READY', message: `The engine ${engineName} does not answer.` })
    }
  }
}
