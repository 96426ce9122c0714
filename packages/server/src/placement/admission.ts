import type { Engine } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { Shortage } from '../db/schema.ts'
import { capacityOf } from '../machines/engine-capacity.ts'
import { obstacleTo } from '../machines/engines.ts'
import type { MachineKeeper } from '../machines/keeper.ts'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'
import type { NodeLease } from './lease.ts'

/** How soon a caller that found no capacity should ask again. */
const capacityRetrySeconds = 10
const readyRetrySeconds = 15
/** An answer of an engine may be older than reservations that have ended since; it is then asked again. */
const maxLooks = 3

/** One place for a machine that is about to be made. It ends when the engine counts the machine itself. */
export interface Reservation extends Disposable {
  readonly nodeId: string
}

type EnginesHere = Pick<MachineKeeper, 'nodeId' | 'engines' | 'engineOf'>

interface Reserved {
  /** Those that are held now. */
  held: number
  /** All that were ever given out. */
  given: number
}

/**
 * Admits creates on this node. An engine counts a machine from the moment at which `create` is called, which is after the commit, so
 * a place is reserved from here until then: of two creates at once, one gets the last place.
 */
export class Admission {
  readonly #keeper: EnginesHere
  readonly #lease: Pick<NodeLease, 'obstacle'>
  readonly #reserved = new Map<string, Reserved>()

  constructor(keeper: EnginesHere, lease: Pick<NodeLease, 'obstacle'>) {
    this.#keeper = keeper
    this.#lease = lease
  }

  /** Why nothing of this shape is made here now, whatever its capacity. */
  async obstacle(shape: CatalogueShape): Promise<ApiError | undefined> {
    const obstacle = await obstacleTo(this.#keeper.engines, shape)
    if (obstacle !== undefined) return refusal({ code: 'machine.NOT_READY', message: obstacle })
    const { obstacle: message } = this.#lease
    return message === undefined ? undefined : refusal({ code: 'machine.NO_CAPACITY', message })
  }

  /** Reserves a place; 503 machine.NO_CAPACITY where there is none. Never within a transaction, since it asks the engine. */
  async reserve(shape: CatalogueShape): Promise<Reservation> {
    const obstacle = await this.obstacle(shape)
    if (obstacle) throw obstacle
    const engine = this.#keeper.engineOf(shape)
    const reserved = this.#reservedOf(engine)
    for (let look = 1; ; look++) {
      const before = { ...reserved }
      const { free, reason } = await capacityOf(engine, shape)
      // Whatever was reserved at any time since the engine was asked may be missing in its answer.
      const uncounted = before.held + reserved.given - before.given
      if (free > uncounted) return this.#hold(reserved)
      if (uncounted <= reserved.held || look === maxLooks)
        throw refusal({ code: 'machine.NO_CAPACITY', message: reason })
    }
  }

  #hold(reserved: Reserved): Reservation {
    reserved.held++
    reserved.given++
    let isHeld = true
    return {
      nodeId: this.#keeper.nodeId,
      [Symbol.dispose]: () => {
        if (isHeld) reserved.held--
        isHeld = false
      },
    }
  }

  #reservedOf({ name }: Engine): Reserved {
    const reserved = this.#reserved.get(name) ?? { held: 0, given: 0 }
    this.#reserved.set(name, reserved)
    return reserved
  }
}

/** A create that cannot be done now. */
export function refusal({ code, message }: Partial<Shortage> & Pick<Shortage, 'code'>): ApiError {
  const retryAfter = code === 'machine.NOT_READY' ? readyRetrySeconds : capacityRetrySeconds
  return new ApiError(code, { message, retryAfter })
}
