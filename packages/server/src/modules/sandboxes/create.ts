import { randomUUID } from 'node:crypto'
import type { SnapshotHandle } from '@sandglass/machines/contract'
import { ApiError, type CreateSandboxRequest, type Lifecycle, type VolumeChoice } from '@sandglass/protocol'
import type { z } from 'zod'
import type { Actor } from '../../auth/principal.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import type { MachineMetrics } from '../../machines/machine-metrics.ts'
import { fitsPool, type MachineChoices, specOf } from '../../machines/spec.ts'
import type { Admission, Reservation } from '../../placement/admission.ts'
import type { NodeChoice } from '../../placement/choose.ts'
import { gone } from '../../placement/gone.ts'
import type { Location } from '../../placement/location.ts'
import { announcePlaced } from '../../placement/placed-machines.ts'
import {
  claimReady,
  hasReady,
  insertMachine,
  type MachineRow,
  type WarmKind,
} from '../../records/machines.ts'
import { authorOf, insertSandbox, type SandboxRow } from '../../records/sandboxes.ts'
import { openSpan } from '../../records/usage.ts'
import { insertMounts } from '../../records/volume-mounts.ts'
import { defaultProjectId, isProject } from '../projects/store.ts'
import type { Catalogue, CatalogueShape } from '../shapes/catalogue.ts'
import { claimVolumes } from '../volumes/claim.ts'
import { requireAllowed, requireEnforced } from './egress.ts'
import { requireSleep } from './lifecycle/require-sleep.ts'
import { SandboxQuota } from './quota.ts'

/** What a caller chooses about a new sandbox, besides its shape or its image. */
export type SandboxWishes = MachineChoices &
  Pick<
    z.output<typeof CreateSandboxRequest>,
    'name' | 'maxLifeSeconds' | 'projectId' | 'labels' | 'idleSeconds'
  > & { readonly lifecycle: Lifecycle; readonly volumes?: readonly VolumeChoice[] }

/** A saved disk that a new machine starts with. */
export interface StartingDisk {
  readonly id: string
  readonly handle: SnapshotHandle
}

/** What a sandbox starts with that has the disk of an image or of another sandbox. */
export interface SavedStart {
  /** Returns the disk for a new machine, and keeps it from being doomed until the transaction ends. */
  readonly lockDisk: () => Promise<StartingDisk>
  /** The warm machines that already have the disk; none if the request needs a machine of its own. */
  readonly warm?: WarmKind | undefined
}

export interface CreatedSandbox {
  readonly sandbox: SandboxRow
  readonly machine: MachineRow
  /** Whether the machine is from the warm pool, and not one that is still to be created. */
  readonly isClaimed: boolean
  /** Whether this process has the machine. */
  readonly isHere: boolean
  /** The saved disk that the machine starts with. */
  readonly disk?: StartingDisk | undefined
  /** When its create began, on the monotonic clock of this process. */
  readonly beganAt: number
}

/** The node on which a sandbox gets its machine, and the kind of machine that it may get. */
export interface Target {
  readonly nodeId: string
  readonly isHere: boolean
  /**
   * `any` allows a warm or a new machine, and `ready` only a warm one. `none` allows no machine; it serves to answer a
   * repeated request and to check the quota when there is no capacity.
   */
  readonly machine: 'any' | 'ready' | 'none'
}

export interface CreateChoices<T> {
  /** Creates the sandbox on another node. */
  readonly elsewhere: (nodeId: string) => Promise<T>
  /** Whether another process has already chosen this node. */
  readonly isPlaced: boolean
}

export interface CreationParts {
  readonly db: Database
  readonly keeper: MachineKeeper
  readonly shapes: Catalogue
  readonly admission: Admission
  readonly choice: NodeChoice
  readonly privateNetworks: readonly string[]
  readonly metrics: MachineMetrics
}

/** There is no machine of the kind that the target allows. Throwing it rolls the transaction back. */
class NoMachine extends Error {
  override readonly name = 'NoMachine'
}

/**
 * Creates sandboxes. Engines are asked for their capacity before a transaction begins, because they may be slow and a
 * transaction holds locks.
 */
export class SandboxCreation {
  readonly quota = new SandboxQuota()
  readonly #parts: CreationParts

  constructor(parts: CreationParts) {
    this.#parts = parts
  }

  /** Chooses the node for a machine that is no sandbox. */
  get choice(): NodeChoice {
    return this.#parts.choice
  }

  /** Returns the shape of this name, and throws if this caller may not use it with these choices. */
  shapeFor(
    name: string,
    { egress, lifecycle }: Pick<SandboxWishes, 'egress'> & Partial<Pick<SandboxWishes, 'lifecycle'>>,
    member: Actor,
  ): CatalogueShape {
    const { shapes, keeper, privateNetworks } = this.#parts
    const shape = shapes.require(name, member)
    const engine = keeper.engines.get(shape.engine)
    requireAllowed(egress, privateNetworks)
    // Without the engine, the node that is chosen for the machine checks it.
    if (engine && lifecycle) requireSleep(engine, lifecycle)
    if (engine) requireEnforced(egress, engine.capabilities, shape.name)
    return shape
  }

  /** Places a sandbox on a node that has capacity for it. `commit` calls {@link create} in one transaction. */
  async place<T>(
    shape: CatalogueShape,
    request: SandboxWishes,
    commit: (target: Target) => Promise<T>,
    { elsewhere, isPlaced }: CreateChoices<T>,
  ): Promise<T> {
    return this.#counted(shape, isPlaced, () => this.#place(shape, request, commit, { elsewhere, isPlaced }))
  }

  async #place<T>(
    shape: CatalogueShape,
    request: SandboxWishes,
    commit: (target: Target) => Promise<T>,
    { elsewhere, isPlaced }: CreateChoices<T>,
  ): Promise<T> {
    const { choice } = this.#parts
    const isPoolable = fitsPool(shape, request)
    const warm = isPoolable && shape.warm > 0 ? { shapeName: shape.name } : undefined
    const here = () => this.#createHere(shape, warm, commit)
    return this.#unlessRefused(commit, () =>
      isPlaced
        ? here()
        : choice.place(shape, isPoolable, ({ nodeId, isHere }) => (isHere ? here() : elsewhere(nodeId))),
    )
  }

  /**
   * Places a sandbox on the only node that can have it, because the node has its volumes or the disk that its machine starts with.
   *
   * @param warm the machines of the node's warm pool that the sandbox may claim
   */
  async placeAt<T>(
    location: Location,
    shape: CatalogueShape,
    commit: (target: Target) => Promise<T>,
    { elsewhere, isPlaced }: CreateChoices<T>,
    warm?: WarmKind,
  ): Promise<T> {
    const place = async () => {
      if (location.at === 'here') return await this.#createHere(shape, warm, commit)
      try {
        if (location.at === 'gone' || isPlaced) throw gone()
        return await elsewhere(location.nodeId)
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'node.GONE') throw error
        throw gone({
          reason: 'Only one node has this disk or volume, and that node does not answer.',
          cause: error,
        })
      }
    }
    return this.#counted(shape, isPlaced, () => this.#unlessRefused(commit, place))
  }

  /** Counts a create in the process that the caller asked for it. */
  async #counted<T>({ name }: CatalogueShape, isPlaced: boolean, place: () => Promise<T>): Promise<T> {
    const { keeper, metrics } = this.#parts
    if (isPlaced) return await keeper.creates.during(place)
    try {
      const created = await keeper.creates.during(place)
      metrics.create(name)
      return created
    } catch (error) {
      metrics.create(name, error)
      throw error
    }
  }

  /** Even without capacity, a repeated request gets its first response, and a caller beyond its quota is told about the quota. */
  async #unlessRefused<T>(commit: (target: Target) => Promise<T>, place: () => Promise<T>): Promise<T> {
    try {
      return await place()
    } catch (refused) {
      if (!(refused instanceof ApiError) || refused.status !== 503) throw refused
      return await this.#commitWithoutReservation('none', commit, () => Promise.reject(refused))
    }
  }

  /** Returns why this node cannot create this shape now regardless of its capacity, or undefined if it can. */
  obstacle(shape: CatalogueShape): Promise<ApiError | undefined> {
    return this.#parts.admission.obstacle(shape)
  }

  /** Reserves capacity for one machine on this node. The reservation ends when the engine counts the machine itself. */
  reserve(shape: CatalogueShape): Promise<Reservation> {
    return this.#parts.admission.reserve(shape)
  }

  async #makeHere<T>(shape: CatalogueShape, commit: (target: Target) => Promise<T>): Promise<T> {
    using reservation = await this.reserve(shape)
    return await commit({ nodeId: reservation.nodeId, isHere: true, machine: 'any' })
  }

  async #createHere<T>(
    shape: CatalogueShape,
    warm: WarmKind | undefined,
    commit: (target: Target) => Promise<T>,
  ): Promise<T> {
    const { db, keeper, admission } = this.#parts
    const make = () => this.#makeHere(shape, commit)
    if (!warm || !(await hasReady(db, keeper.nodeId, warm))) return make()
    const obstacle = await admission.obstacle(shape)
    if (obstacle) throw obstacle
    return this.#commitWithoutReservation('ready', commit, make)
  }

  /** Commits without reserving capacity for a new machine, and calls `otherwise` if a new machine is needed. */
  async #commitWithoutReservation<T>(
    machine: 'ready' | 'none',
    commit: (target: Target) => Promise<T>,
    otherwise: () => Promise<T>,
  ): Promise<T> {
    try {
      return await commit({ nodeId: this.#parts.keeper.nodeId, isHere: true, machine })
    } catch (error) {
      if (error instanceof NoMachine) return otherwise()
      throw error
    }
  }

  /**
   * Claims a warm machine or inserts a new one, and counts the sandbox against every quota. A machine that has volumes is
   * always a new one.
   */
  async create(
    tx: Tx,
    member: Actor,
    shape: CatalogueShape,
    request: SandboxWishes,
    { nodeId, isHere, machine: allowed }: Target,
    saved?: SavedStart,
  ): Promise<CreatedSandbox> {
    const orgId = member.organization.id
    const beganAt = performance.now()
    await this.quota.require(tx, member)
    const projectId = await projectFor(tx, orgId, request.projectId)
    if (allowed === 'none') throw new NoMachine()
    const { volumes: chosen = [] } = request
    const ofShape = shape.warm > 0 && fitsPool(shape, request) ? { shapeName: shape.name } : undefined
    const warm = saved ? saved.warm : ofShape
    const claimed = warm && chosen.length === 0 ? await claimReady(tx, nodeId, warm) : undefined
    if (!claimed && allowed === 'ready') throw new NoMachine()
    const disk = claimed ? undefined : await saved?.lockDisk()
    const volumes = await claimVolumes(tx, member, shape, nodeId, chosen)
    const spec = { ...specOf(shape, request), ...(volumes.length > 0 && { volumes }) }
    const machine =
      claimed ??
      (await insertMachine(tx, {
        nodeId,
        engine: shape.engine,
        shapeName: shape.name,
        spec: this.#parts.keeper.environment.seal(spec),
        diskId: disk?.id,
      }))
    await insertMounts(tx, machine.id, volumes)
    const sandbox = await insertSandbox(tx, {
      id: randomUUID(),
      orgId,
      projectId,
      nodeId,
      machineId: machine.id,
      createdBy: authorOf(member),
      name: request.name,
      shapeName: shape.name,
      pricePerHour: shape.pricePerHour,
      status: claimed ? 'RUNNING' : 'PENDING',
      lifeSeconds: request.maxLifeSeconds,
      lifecycle: {
        ...request.lifecycle,
        idleSeconds: request.lifecycle.idleSeconds ?? request.idleSeconds,
      },
      labels: request.labels,
    })
    if (claimed) await openSpan(tx, sandbox)
    if (!isHere) await announcePlaced(tx, machine)
    return { sandbox, machine, isClaimed: claimed !== undefined, isHere, disk, beganAt }
  }

  /**
   * Call this after the commit. It creates a missing machine in the background; another node is notified by the
   * database.
   */
  carryOut({ sandbox, machine, isClaimed, isHere, disk, beganAt }: CreatedSandbox): void {
    const { keeper, metrics } = this.#parts
    if (!isHere) return
    if (isClaimed) {
      keeper.handOut(machine.id, sandbox.org_id)
      metrics.running(sandbox.shape_name, 'claimed', (performance.now() - beganAt) / 1000)
    } else void keeper.make(machine, 'sandbox', disk?.handle)
  }
}

/** An empty string selects the default project, because published clients send "" when no project is given. */
export async function projectFor(tx: Tx, orgId: string, asked: string | undefined): Promise<string> {
  if (asked === undefined || asked === '') return defaultProjectId(tx, orgId)
  if (!(await isProject(tx, orgId, asked))) throw new ApiError('project.NOT_FOUND')
  return asked
}
