import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import type { NodeCapacity } from './capacity.ts'
import { renewLease, retakeLease, withdrawCapacity } from './lease-store.ts'

/** Several heartbeats fit into one lease, so that a few can fail before the node is declared lost. */
const heartbeatsPerLease = 6
/**
 * If the engines take longer than this, a heartbeat publishes the previous measurement, so that a slow engine cannot
 * cost the lease.
 */
const maxMeasureMs = 1000

export interface NodeLeaseParts {
  readonly db: Database
  readonly nodeId: string
  readonly leaseSeconds: number
  readonly capacity: NodeCapacity
  readonly log: Logger
}

/**
 * The lease of this node. It is measured only by the database clock, so a node whose own clock is wrong neither loses its lease early
 * nor keeps it longer. A node never declares itself lost, so a single node loses nothing however long it was stopped.
 */
export class NodeLease {
  readonly #parts: NodeLeaseParts
  #isDraining = false
  #isRemoved = false
  /** Called when the node starts or stops draining. */
  onDrain: () => void = () => {}
  /** Called when another process had declared this node lost. Its sandboxes stay in ERROR until they are recovered. */
  onReturn: () => Promise<void> = async () => {}

  constructor(parts: NodeLeaseParts) {
    this.#parts = parts
  }

  get heartbeatSeconds(): number {
    return this.#parts.leaseSeconds / heartbeatsPerLease
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** Why this node accepts no new sandboxes even if its engines could create them; undefined if it accepts them. */
  get obstacle(): string | undefined {
    if (this.#isRemoved) return 'This node was removed by the operator.'
    return this.#isDraining ? 'This node is being drained, and takes no new sandboxes.' : undefined
  }

  /** Renews the lease, or takes it again if the node was declared lost. */
  async heartbeat(): Promise<void> {
    const { db, nodeId, leaseSeconds, capacity, log } = this.#parts
    await withinMs(capacity.measure(), maxMeasureMs)
    const renewed = await renewLease(db, nodeId, leaseSeconds, capacity.latest)
    if (renewed) return this.#setDraining(renewed.isDraining)
    if (!(await retakeLease(db, nodeId, leaseSeconds))) return this.#markRemoved()
    log.warn('this node was declared lost while it was away, and is back')
    await this.onReturn()
  }

  /** Handles the announcement that a node was drained, undrained or removed. The next heartbeat makes up for a missed one. */
  changed(announcement: string): void {
    const [id, change] = announcement.split(' ')
    if (id !== this.#parts.nodeId) return
    if (change === 'removed') this.#markRemoved()
    else this.#setDraining(change === 'drained')
  }

  /** Withdraws the capacity but keeps the lease, so that a node that restarts before the lease ends is not declared lost. */
  async close(): Promise<void> {
    const { db, nodeId, log } = this.#parts
    await withdrawCapacity(db, nodeId).catch(error =>
      log.warn({ error }, 'the capacity of this node was not withdrawn'),
    )
  }

  #setDraining(isDraining: boolean): void {
    this.#isRemoved = false
    if (isDraining === this.#isDraining) return
    this.#isDraining = isDraining
    this.onDrain()
  }

  #markRemoved(): void {
    if (!this.#isRemoved)
      this.#parts.log.error(
        'this node was removed by the operator; stop this process, or restart it to enter it again',
      )
    this.#isRemoved = true
  }
}

async function withinMs(work: Promise<void>, ms: number): Promise<void> {
  const done = new AbortController()
  await Promise.race([work, delay(ms, undefined, { signal: done.signal }).catch(() => {})])
  done.abort()
}
