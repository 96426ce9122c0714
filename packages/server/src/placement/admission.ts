import { ApiError } from '@sandglass/protocol'
import type { Shortage } from '../db/schema.ts'
import { capacityOf, type EngineCapacity } from '../machines/engine-capacity.ts'
import { type Obstacle, obstacleTo } from '../machines/engines.ts'
import type { MachineKeeper } from '../machines/keeper.ts'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'
import type { NodeLease } from './lease.ts'

/** The Retry-After of a create that found no capacity. */
const capacityRetrySeconds = 10
/** The Retry-After of a create whose engine is not ready. */
const readyRetrySeconds = 15
/** The capacity that an engine reports may predate reservations that have ended since, so it is asked up to this many times. */
const maxAttempts = 3

/** Capacity for one machine that is about to be created. Dispose of it once the engine counts the machine itself. */
export interface Reservation extends Disposable {
  readonly nodeId: string
}

type EnginesHere = Pick<MachineKeeper, 'nodeId' | 'engines' | 'engineOf'>

type Shortages = () => string | undefined

interface ReservationCount {
  /** Reservations that are held now. */
  held: number
  /** Every reservation since the start, including released ones. */
  everHeld: number
}

/**
 * Admits creates on this node. An engine counts a machine only once `create` is called, which happens after the commit. Capacity is
 * therefore reserved until then, so that two concurrent creates cannot both get the last free machine.
 */
export class Admission {
  readonly #keeper: EnginesHere
  readonly #lease: Pick<NodeLease, 'obstacle'>
  readonly #shortage: Shortages
  readonly #reserved = new Map<string, ReservationCount>()

  /** @param shortage says what this host is short of, if it is */
  constructor(
    keeper: EnginesHere,
    lease: Pick<NodeLease, 'obstacle'>,
    shortage: Shortages = () => undefined,
  ) {
    this.#keeper = keeper
    this.#lease = lease
    this.#shortage = shortage
  }

  /** Returns why this node cannot create this shape now regardless of its capacity, or undefined if it can. */
  async obstacle(shape: CatalogueShape): Promise<ApiError | undefined> {
    const obstacle = await obstacleTo(this.#keeper.engines, shape)
    if (obstacle) return notReady(obstacle)
    // Machines of the warm pool are refused too, because they take memory and disk as soon as they are used.
    const message = this.#lease.obstacle ?? this.#shortage()
    return message === undefined ? undefined : refusal({ code: 'machine.NO_CAPACITY', message })
  }

  /**
   * Reserves capacity for one machine, or throws a 503 if there is none. It asks the engine, which can be slow, so do not call it
   * inside a transaction.
   */
  async reserve(shape: CatalogueShape): Promise<Reservation> {
    const reserved = this.#reservedOf(shape.engine)
    let before = { ...reserved }
    // Asked together, because a create waits for both.
    let asking = this.#ask(shape)
    asking.catch(() => {})
    const obstacle = await this.obstacle(shape)
    if (obstacle) throw obstacle
    for (let attempt = 1; ; attempt++) {
      const { free, reason } = await asking
      // The engine's answer may not include any reservation that was held at some time since it was asked.
      const uncounted = before.held + reserved.everHeld - before.everHeld
      if (free > uncounted) return this.#hold(reserved)
      if (uncounted <= reserved.held || attempt === maxAttempts)
        throw refusal({ code: 'machine.NO_CAPACITY', message: reason })
      before = { ...reserved }
      asking = this.#ask(shape)
    }
  }

  async #ask(shape: CatalogueShape): Promise<EngineCapacity> {
    return await capacityOf(this.#keeper.engineOf(shape), shape)
  }

  #hold(reserved: ReservationCount): Reservation {
    reserved.held++
    reserved.everHeld++
    let isHeld = true
    return {
      nodeId: this.#keeper.nodeId,
      [Symbol.dispose]: () => {
        if (isHeld) reserved.held--
        isHeld = false
      },
    }
  }

  #reservedOf(name: string): ReservationCount {
    const reserved = this.#reserved.get(name) ?? { held: 0, everHeld: 0 }
    this.#reserved.set(name, reserved)
    return reserved
  }
}

/** Builds the 503 for a create of a shape that is not ready. Callers wait for one with `preparing`, which says what they wait for. */
function notReady({ reason, isPassing }: Obstacle): ApiError {
  return refusal({ code: 'machine.NOT_READY', message: reason }, isPassing ? { preparing: reason } : {})
}

/** Builds the 503 for a create that cannot be done now. */
export function refusal(
  { code, message }: Partial<Shortage> & Pick<Shortage, 'code'>,
  fields: Readonly<Record<string, unknown>> = {},
): ApiError {
  const retryAfter = code === 'machine.NOT_READY' ? readyRetrySeconds : capacityRetrySeconds
  return new ApiError(code, { message, retryAfter, fields })
}
