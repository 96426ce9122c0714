import { type Engine, type ListedVolume, MachineError } from '@sandglass/machines/contract'
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { transact } from '../db/transact.ts'
import {
  doomedVolumes,
  doomVolume,
  forgetVolume,
  markVolumeMissing,
  markVolumeReady,
  setVolumeUse,
  type VolumeRow,
  volumesOfNode,
} from '../records/volumes.ts'
import { belongingOf } from './belonging.ts'
import { DoomedRemoval } from './doomed-removal.ts'
import type { MachineKeeper } from './keeper.ts'
import { type Identity, selectLedger } from './ledger.ts'
import { VolumeTurns } from './volume-turns.ts'

export interface NodeVolumesParts {
  readonly db: Database
  readonly identity: Identity
  readonly keeper: MachineKeeper
  readonly log: Logger
}

/**
 * Creates and deletes the volumes of this node. The row of a volume is inserted before the engine creates it and deleted after
 * the engine has deleted it. A volume that no row names is therefore never a leftover of this service, but may be all that
 * somebody has, and is left alone.
 */
export class NodeVolumes {
  readonly #parts: NodeVolumesParts
  readonly #making = new Set<string>()
  readonly #removal: DoomedRemoval
  /** Volumes that the database does not know, each of which is logged once. */
  readonly #unclaimed = new Set<string>()

  constructor(parts: NodeVolumesParts) {
    this.#parts = parts
    this.#removal = new DoomedRemoval({
      what: 'volumes',
      removeAll: () => this.#removeDoomed(),
      log: parts.log,
    })
    const turns = new VolumeTurns(parts.db, parts.keeper)
    parts.keeper.awaitVolumes = (machineId, signal) => turns.wait(machineId, signal)
    parts.keeper.onVolumesFreed = () => {
      turns.freed()
      this.removeDoomedSoon()
    }
  }

  /** Lets the engine create the volume of a row. If that fails, the volume is deleted. */
  make(row: VolumeRow): Promise<void> {
    return this.#removal.track(this.#make(row))
  }

  async #make(row: VolumeRow): Promise<void> {
    const { db, identity, keeper, log } = this.#parts
    this.#making.add(row.id)
    try {
      const { volumes } = keeper.engineOf(row)
      if (!volumes) throw new MachineError('INVALID', 'This engine has no volumes.')
      const owner = { installation: identity.installation, node: identity.nodeId, number: Number(row.number) }
      const handle = await volumes.create({ id: row.id, sizeMiB: row.size_mib, owner })
      await markVolumeReady(db, row.id, handle)
    } catch (error) {
      log.warn({ volume: row.id, error }, 'a volume could not be created')
      await transact(db, tx => doomVolume(tx, row.id, 'It could not be created.'))
      throw error
    } finally {
      this.#making.delete(row.id)
      this.removeDoomedSoon()
    }
  }

  /** Deletes doomed volumes in the background. */
  removeDoomedSoon(): void {
    this.#removal.request()
  }

  async #removeDoomed(): Promise<void> {
    const { db, identity, keeper } = this.#parts
    for (const row of await doomedVolumes(db, identity.nodeId)) {
      const volumes = keeper.engines.get(row.engine)?.volumes
      if (!volumes || this.#making.has(row.id)) continue
      await this.#removal.remove(volumes, row, id => forgetVolume(db, id))
    }
  }

  /** Reconciles the rows of this node with the volumes of an engine. */
  async settle(engine: Engine): Promise<void> {
    const { db, identity } = this.#parts
    if (!engine.volumes) return
    const rows = await volumesOfNode(db, identity.nodeId, engine.name)
    const listed = new Map((await engine.volumes.list()).map(volume => [volume.id, volume]))
    for (const row of rows) await this.#settleRow(row, listed.get(row.id))
    await this.#reportUnclaimed(engine, [...listed.values()])
    this.removeDoomedSoon()
  }

  async #settleRow(row: VolumeRow, listed: ListedVolume | undefined): Promise<void> {
    const { db, log } = this.#parts
    // The previous process ended while it was being created.
    if (row.state === 'creating' && !this.#making.has(row.id)) void this.make(row).catch(() => {})
    if (row.state === 'ready' && !listed) {
      log.error({ volume: row.id }, 'a volume is missing on this node')
      await markVolumeMissing(db, row.id, 'The node does not have the volume any more.')
    }
    if (row.state === 'missing' && listed) await markVolumeReady(db, row.id, listed.handle)
    const usedMiB = listed?.usedMiB === undefined ? null : Math.ceil(listed.usedMiB)
    if (usedMiB !== null && usedMiB !== row.used_mib) await setVolumeUse(db, row.id, usedMiB)
  }

  async #reportUnclaimed(engine: Engine, listed: readonly ListedVolume[]): Promise<void> {
    const { db, identity, log } = this.#parts
    const unknown = listed.filter(({ id }) => !this.#unclaimed.has(id))
    if (unknown.length === 0) return
    // Read after the volumes were listed, because one may have been created since the rows were read first.
    const known = new Set((await volumesOfNode(db, identity.nodeId, engine.name)).map(({ id }) => id))
    const ledger = await selectLedger(db, identity.nodeId)
    for (const volume of unknown) {
      const reason = belongingOf(volume, engine.scope, known.has(volume.id), ledger, new Set())
      if (reason === 'claimed' || reason === 'neighbour') continue
      this.#unclaimed.add(volume.id)
      log.warn(
        { volume: volume.id, reason, owner: volume.owner },
        'a volume that is not in the database is left alone',
      )
    }
  }

  /** Waits until what is being done has been recorded. */
  close(): Promise<void> {
    return this.#removal.close()
  }
}
