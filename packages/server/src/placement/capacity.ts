import type { BaseImageBuild } from '@sandglass/machines/contract'
import type { NodeResources } from '@sandglass/protocol'
import type { Logger } from 'pino'
import type { PublishedCapacity, PublishedCluster, Shortage } from '../db/schema.ts'
import { clustersOf } from '../machines/clusters.ts'
import { capacityOf, type EngineCapacity } from '../machines/engine-capacity.ts'
import { type Engines, obstacleTo } from '../machines/engines.ts'
import type { Catalogue, CatalogueShape } from '../modules/shapes/catalogue.ts'
import { hostResources } from '../ops/host-resources.ts'

/** What a node publishes about itself with each heartbeat. */
export interface Published {
  /** Null if this process creates no machines. */
  readonly capacity: readonly PublishedCapacity[] | null
  /** Null if it could not be measured. */
  readonly resources: NodeResources | null
  readonly builds: readonly BaseImageBuild[]
  readonly clusters: readonly PublishedCluster[]
}

/** Measures how many machines of each shape this node can create, which it publishes to the other processes. */
export class NodeCapacity {
  readonly #shapes: Catalogue
  readonly #engines: Engines
  readonly #log: Logger
  readonly #folder: string
  #latest: Published = { capacity: null, resources: null, builds: [], clusters: [] }
  #measuring: Promise<void> | undefined

  /** @param folder the data directory */
  constructor(shapes: Catalogue, engines: Engines, folder: string, log: Logger) {
    this.#folder = folder
    this.#shapes = shapes
    this.#engines = engines
    this.#log = log
  }

  /** The latest measurement. */
  get latest(): Published {
    return this.#latest
  }

  /** Asks every engine. Concurrent calls share one measurement, so an engine that does not answer is asked only once. */
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
    this.#latest = {
      capacity: capacity.length > 0 ? capacity : null,
      resources: await hostResources(this.#folder).catch(() => null),
      builds: await this.#builds(),
      clusters: await clustersOf(this.#engines),
    }
  }

  async #builds(): Promise<readonly BaseImageBuild[]> {
    const all = await Promise.all(this.#engines.names.map(name => this.#engines.health(name)))
    return all.flatMap(health => (health.ready ? (health.builds ?? []) : []))
  }

  async #ofShape(
    shape: CatalogueShape,
    asked: Map<string, Promise<EngineCapacity>>,
  ): Promise<PublishedCapacity> {
    const { name: shapeName, engine: engineName, image, diskMiB } = shape
    const full = (shortage: Shortage) => ({ shapeName, engine: engineName, free: 0, shortage })
    const obstacle = await obstacleTo(this.#engines, shape)
    if (obstacle) return full({ code: 'machine.NOT_READY', message: obstacle.reason })
    const engine = this.#engines.get(engineName)
    if (!engine) return full({ code: 'machine.NOT_READY', message: `There is no engine ${engineName}.` })
    try {
      // Capacity depends only on the image and the disk size, so shapes that agree in both share one request.
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
