import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import type { Catalogue, CatalogueShape } from '../modules/shapes/catalogue.ts'
import {
  countPooled,
  countPooledByMember,
  doomReady,
  insertMachine,
  type MachineRow,
  readyMachines,
} from '../records/machines.ts'
import type { SavedDiskRow } from '../records/saved-disks.ts'
import { lockWarmImage } from '../records/warm-images.ts'
import { chooseMember } from './choose-member.ts'
import { capacityOf } from './engine-capacity.ts'
import { obstacleTo } from './engines.ts'
import type { MachineKeeper } from './keeper.ts'
import { RepeatedWork } from './repeated-work.ts'
import { type MachineChoices, noChoices, specOf } from './spec.ts'
import { surplusOf, type WarmCount } from './surplus.ts'

/** The number of machines that the pool leaves free for creates that cannot use it. */
const reservedCapacity = 2
/** How long a check, or the next machine, waits for creates that are being answered, which need the processors more. */
const maxWaitMs = 2000

/** Machines that are to be kept ready, and what they are made of. */
export interface WantedMachines extends WarmCount {
  /** The organization of the image; none for machines of a shape. */
  readonly orgId?: string | undefined
  readonly shape: CatalogueShape
  readonly choices: () => MachineChoices
}

export interface WarmPoolParts {
  readonly db: Database
  readonly keeper: MachineKeeper
  readonly shapes: Catalogue
  /** Returns the machines of images that this node is to keep ready. */
  readonly ofImages: () => Promise<WantedMachines[]>
  readonly isDraining: () => boolean
  /** Says what the host is short of, if it is. Nothing is added then. */
  readonly shortage?: () => string | undefined
  readonly log: Logger
}

/**
 * Keeps booted machines ready for each shape and each image that has a `warm` count, so that a create only needs to claim one, and
 * destroys those that are no longer wanted.
 */
export class WarmPool {
  readonly #parts: WarmPoolParts
  /** The images of which a machine failed or ended by itself. */
  readonly #failing = new Set<string>()
  readonly #checking = new RepeatedWork(() => this.#check())
  /** What fills the pool with the machines of each organization's images, and with those of shapes. */
  readonly #filling = new Map<string | undefined, RepeatedWork>()
  #wanted = new Map<string | undefined, readonly WantedMachines[]>()
  /** The number of machines that are being created. */
  #adding = 0
  #closed = false

  constructor(parts: WarmPoolParts) {
    this.#parts = parts
  }

  /** The machines that are to be kept ready, as of the last check. */
  get wanted(): readonly WarmCount[] {
    return [...this.#wanted.values()].flat()
  }

  /** Checks and fills the pool in the background. */
  refill(): void {
    this.#checking.request()
  }

  /**
   * Replaces a machine that nobody had claimed. One of an image is replaced by the next {@link retry}: users decide what runs in it,
   * and if it ends right after its start, replacing it at once would keep the host busy forever.
   */
  replace({ image_id: imageId }: Pick<MachineRow, 'image_id'>): void {
    if (imageId !== null) this.#failing.add(imageId)
    this.refill()
  }

  /** Fills the pool, also with machines of images that failed before. */
  retry(): void {
    this.#failing.clear()
    this.refill()
  }

  /** Settles when the pool has been checked and filled as far as that is possible. */
  async settled(): Promise<void> {
    await this.#checking.settled()
    await Promise.all([...this.#filling.values()].map(filling => filling.settled()))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.settled()
  }

  async #check(): Promise<boolean> {
    const { isDraining, keeper, log } = this.#parts
    await keeper.creates.wait(maxWaitMs)
    if (this.#closed) return false
    try {
      // A draining node keeps only the machines of sandboxes.
      const wanted = isDraining() ? [] : await this.#findWanted()
      await this.#trim(wanted)
      this.#wanted = Map.groupBy(wanted, ({ orgId }) => orgId)
      for (const orgId of this.#wanted.keys()) this.#fillingOf(orgId).request()
    } catch (error) {
      log.warn({ error }, 'the warm pool was not checked')
    }
    return false
  }

  async #findWanted(): Promise<WantedMachines[]> {
    const { shapes, ofImages } = this.#parts
    const ofShapes = shapes
      .all()
      .filter(({ warm }) => warm > 0)
      .map(shape => ({ shapeName: shape.name, warm: shape.warm, shape, choices: () => noChoices }))
    return [...ofShapes, ...(await ofImages())]
  }

  /** Organizations do not wait for each other, because a machine of an image that does not boot is given up only after a while. */
  #fillingOf(orgId: string | undefined): RepeatedWork {
    const filling = this.#filling.get(orgId) ?? new RepeatedWork(() => this.#addEach(orgId))
    this.#filling.set(orgId, filling)
    return filling
  }

  /** Adds one machine of each kind, so that a large number of one kind does not keep the others waiting. */
  async #addEach(orgId: string | undefined): Promise<boolean> {
    let isAny = false
    for (const kind of this.#wanted.get(orgId) ?? []) if (await this.#tryToAdd(kind)) isAny = true
    return isAny
  }

  /** Destroys the machines that the pool has too many of. */
  async #trim(wanted: readonly WarmCount[]): Promise<void> {
    const { db, keeper } = this.#parts
    const surplus = surplusOf(await readyMachines(db, keeper.nodeId), wanted)
    if (surplus.length === 0) return
    await doomReady(db, surplus)
    keeper.destroyDoomedSoon()
  }

  /** Creates one machine if there are too few of its kind. Returns false if there are enough, or if no other can be created now. */
  async #tryToAdd(kind: WantedMachines): Promise<boolean> {
    await this.#parts.keeper.creates.wait(maxWaitMs)
    if (this.#closed || this.#parts.isDraining()) return false
    if (kind.imageId !== undefined && this.#failing.has(kind.imageId)) return false
    try {
      return await this.#add(kind)
    } catch (error) {
      this.#parts.log.warn({ error }, 'the warm pool could not be filled')
      return false
    }
  }

  async #add(kind: WantedMachines): Promise<boolean> {
    const { db, keeper, shortage } = this.#parts
    if (shortage?.() !== undefined) return false
    if ((await countPooled(db, keeper.nodeId, kind)) >= kind.warm) return false
    if ((await obstacleTo(keeper.engines, kind.shape)) !== undefined) return false
    const { free } = await capacityOf(keeper.engineOf(kind.shape), kind.shape)
    // The engine may not count those that are being created yet.
    if (free - this.#adding <= reservedCapacity) return false
    this.#adding++
    try {
      return await this.#make(kind)
    } finally {
      this.#adding--
    }
  }

  async #make(kind: WantedMachines): Promise<boolean> {
    const { keeper } = this.#parts
    const inserted = await this.#insert(kind)
    if (!inserted) return false
    const { row, disk } = inserted
    // Wait for it, so that filling the pool leaves processors for creates and claims.
    await keeper.make(row, 'pool', disk?.handle ?? undefined)
    const isMade = keeper.machine(row.id) !== undefined
    if (!isMade && kind.imageId !== undefined) this.#failing.add(kind.imageId)
    return isMade
  }

  /** Inserts the row of a new machine. Returns undefined if there are enough, as when an image was changed or deleted meanwhile. */
  async #insert(
    kind: WantedMachines,
  ): Promise<{ readonly row: MachineRow; readonly disk?: SavedDiskRow | undefined } | undefined> {
    const { db, keeper } = this.#parts
    const { shape, shapeName, imageId } = kind
    const pooled = await countPooledByMember(db, keeper.nodeId, kind)
    const place = await chooseMember(keeper.engineOf(shape), pooled)
    const spec = keeper.environment.seal({ ...specOf(shape, kind.choices()), ...(place && { place }) })
    return transact(db, async tx => {
      const image = imageId === undefined ? undefined : await lockWarmImage(tx, imageId)
      const warm = imageId === undefined ? kind.warm : (image?.warm ?? 0)
      if ((await countPooled(tx, keeper.nodeId, kind)) >= warm) return undefined
      const { engine } = shape
      const { id: diskId } = image?.disk ?? {}
      const row = await insertMachine(tx, { nodeId: keeper.nodeId, engine, shapeName, spec, diskId, imageId })
      return { row, disk: image?.disk }
    })
  }
}
