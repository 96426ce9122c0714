import { ApiError } from '@sandglass/protocol'
import type { Pool } from '../db/database.ts'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'
import type { Admission } from './admission.ts'
import { type Candidate, hasOtherNodes, selectCandidates } from './nodes-view.ts'

/** The caller waits while nodes are tried, so only this many other nodes are. */
const maxOtherNodes = 3

/** The node on which a sandbox may be placed. */
export interface Place {
  readonly nodeId: string
  readonly isHere: boolean
}

export interface NodeChoiceParts {
  readonly pool: Pick<Pool, 'db' | 'prepared'>
  readonly nodeId: string
  readonly admission: Admission
}

/** Errors which guarantee that the node created nothing, so that it is safe to try the next one. */
const retryableCodes = new Set(['machine.NO_CAPACITY', 'machine.NOT_READY', 'node.GONE'])

/**
 * Chooses the node for a create by the capacity that nodes publish. Published capacity is a few seconds old, so the chosen node may
 * refuse, in which case the next one is tried.
 */
export class NodeChoice {
  readonly #parts: NodeChoiceParts
  /** How many creates were sent to each node since it last published its capacity, which does not include them yet. */
  readonly #sentCreates = new Map<string, { readonly seenAt: number; count: number }>()
  /** If this is false, creates skip the query for candidates. It starts as true because nobody has looked yet. */
  #hasOthers = true

  constructor(parts: NodeChoiceParts) {
    this.#parts = parts
  }

  /** Checks whether there are other nodes. Called with each heartbeat. */
  async refresh(): Promise<void> {
    const { pool, nodeId } = this.#parts
    this.#hasOthers = await hasOtherNodes(pool.db, nodeId)
  }

  /**
   * Creates a sandbox on the first node that accepts it, or throws the most useful refusal if none does. Nodes with a machine in their
   * warm pool are tried first, then this node, then the nodes with the most capacity.
   *
   * @param isPoolable whether a machine from the warm pool is suitable
   * @param attempt creates the sandbox on a node; it must throw machine.NO_CAPACITY, machine.NOT_READY or node.GONE only if nothing was created
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
    const { pool, nodeId, admission } = this.#parts
    const here = { nodeId, isHere: true }
    // Without other nodes, the attempt itself finds out whether there is an obstacle here.
    if (!this.#hasOthers) yield here
    let isHereLeft = this.#hasOthers && (await admission.obstacle(shape)) === undefined
    const candidates = await selectCandidates(pool.prepared, shape.name)
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
