import { ApiError } from '@sandglass/protocol'
import type { Database } from '../db/database.ts'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'
import type { Admission } from './admission.ts'
import { type Candidate, hasOtherNodes, selectCandidates } from './nodes-view.ts'

/** A create is offered to so many other nodes at most, since its caller waits. */
const maxOtherNodes = 3

/** The node on which a sandbox may be placed. */
export interface Place {
  readonly nodeId: string
  readonly isHere: boolean
}

export interface NodeChoiceParts {
  readonly db: Database
  readonly nodeId: string
  readonly admission: Admission
}

/** The answers of a node on which nothing was made, so that the next one may be tried. */
const retryableCodes = new Set(['machine.NO_CAPACITY', 'machine.NOT_READY', 'node.GONE'])

/**
 * Chooses the node for a create by the capacity that nodes publish. What is published is some seconds old, so a node may decline, and
 * then the next is tried.
 */
export class NodeChoice {
  readonly #parts: NodeChoiceParts
  /** Creates that were sent to a node since it published its capacity. */
  readonly #sentCreates = new Map<string, { readonly seenAt: number; count: number }>()
  /** Without others a create needs no look at the nodes. Taken for granted until they were looked at. */
  #hasOthers = true

  constructor(parts: NodeChoiceParts) {
    this.#parts = parts
  }

  /** Looks whether there are other nodes; with each heartbeat. */
  async refresh(): Promise<void> {
    const { db, nodeId } = this.#parts
    this.#hasOthers = await hasOtherNodes(db, nodeId)
  }

  /**
   * Makes a sandbox on the first node that takes it, and fails with the best reason where none does. A machine that is booted ahead
   * comes first, then this node, then the one with most capacity.
   *
   * @param isPoolable whether a machine of the warm pool will do
   * @param attempt makes the sandbox at a place, or fails with machine.NO_CAPACITY, machine.NOT_READY or node.GONE where nothing was made
   */
  async place<T>(
    shape: CatalogueShape,
    isPoolable: boolean,
    attempt: (place: Place) => Promise<T>,
  ): Promise<T> {
    const refusals: ApiError[] = []
    for await (const place of this.#places(shape, isPoolable))
      try {
        return await attempt(place)
      } catch (error) {
        if (!(error instanceof ApiError && retryableCodes.has(error.code))) throw error
        refusals.push(error)
      }
    const obstacle = await this.#parts.admission.obstacle(shape)
    if (obstacle) refusals.push(obstacle)
    throw (
      refusals.find(({ code }) => code === 'machine.NO_CAPACITY') ??
      refusals[0] ??
      new ApiError('machine.NO_CAPACITY')
    )
  }

  async *#places(shape: CatalogueShape, isPoolable: boolean): AsyncGenerator<Place> {
    const { db, nodeId, admission } = this.#parts
    const here = { nodeId, isHere: true }
    let isHereLeft = (await admission.obstacle(shape)) === undefined
    if (isHereLeft && !this.#hasOthers) {
      yield here
      isHereLeft = false
    }
    const candidates = await selectCandidates(db, shape.name)
    const isWarm = ({ warm }: Candidate) => isPoolable && warm > 0
    const isWarmHere = candidates.some(candidate => candidate.id === nodeId && isWarm(candidate))
    const others = candidates
      .filter(({ id }) => id !== nodeId)
      .sort((a, b) => Number(isWarm(b)) - Number(isWarm(a)) || this.#free(b) - this.#free(a))
      .slice(0, maxOtherNodes)
    for (const candidate of others) {
      if (isHereLeft && (isWarmHere || !isWarm(candidate))) {
        yield here
        isHereLeft = false
      }
      this.#countSent(candidate)
      yield { nodeId: candidate.id, isHere: false }
    }
    if (isHereLeft) yield here
  }

  #free({ id, seen_at, capacity: { shapeName, free } }: Candidate): number {
    const sent = this.#sentCreates.get(`${id} ${shapeName}`)
    return sent?.seenAt === seen_at.getTime() ? free - sent.count : free
  }

  #countSent({ id, seen_at, capacity: { shapeName } }: Candidate): void {
    const key = `${id} ${shapeName}`
    const seenAt = seen_at.getTime()
    const sent = this.#sentCreates.get(key)
    if (sent?.seenAt === seenAt) sent.count++
    else this.#sentCreates.set(key, { seenAt, count: 1 })
  }
}
