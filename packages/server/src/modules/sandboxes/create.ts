import { randomUUID } from 'node:crypto'
import { ApiError, type CreateSandboxRequest } from '@sandglass/protocol'
import type { z } from 'zod'
import type { Actor } from '../../auth/principal.ts'
import type { Database, Tx } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { fitsPool, specOf } from '../../machines/spec.ts'
import type { Admission } from '../../placement/admission.ts'
import type { NodeChoice } from '../../placement/choose.ts'
import { announcePlaced } from '../../placement/placed-machines.ts'
import { claimReady, hasReady, insertMachine, type MachineRow } from '../../records/machines.ts'
import { authorOf, insertSandbox, type SandboxRow } from '../../records/sandboxes.ts'
import { openSpan } from '../../records/usage.ts'
import { defaultProjectId, isProject } from '../projects/store.ts'
import type { Catalogue, CatalogueShape } from '../shapes/catalogue.ts'
import { requireAllowed } from './egress.ts'
import { SandboxQuota } from './quota.ts'

type Request = z.output<typeof CreateSandboxRequest>

export interface CreatedSandbox {
  readonly sandbox: SandboxRow
  readonly machine: MachineRow
  /** Whether it is a machine of the pool, rather than one that is still to be made. */
  readonly isClaimed: boolean
  /** Whether this process has the machine. */
  readonly isHere: boolean
}

/** Where the machine of a sandbox is to be. */
export interface Target {
  readonly nodeId: string
  readonly isHere: boolean
  /** What may become its machine: one of the pool or a new one, one of the pool, or none, which finds only what is there already. */
  readonly machine: 'any' | 'ready' | 'none'
}

export interface CreateChoices<T> {
  /** Makes the sandbox on another node. */
  readonly elsewhere: (nodeId: string) => Promise<T>
  /** Another process has chosen this node. */
  readonly isPlaced: boolean
}

export interface CreationParts {
  readonly db: Database
  readonly keeper: MachineKeeper
  readonly shapes: Catalogue
  readonly admission: Admission
  readonly choice: NodeChoice
  readonly privateNetworks: readonly string[]
}

/** There was no machine of the kind that the target allows. The transaction is rolled back. */
class NoMachine extends Error {
  override readonly name = 'NoMachine'
}

/** Makes sandboxes. Engines are asked for their capacity before a transaction begins, and never within one. */
export class SandboxCreation {
  readonly quota = new SandboxQuota()
  readonly #parts: CreationParts

  constructor(parts: CreationParts) {
    this.#parts = parts
  }

  /** The shape that is asked for, if this caller may have it. */
  shapeFor(request: Request, member: Actor): CatalogueShape {
    const { shapes, keeper, privateNetworks } = this.#parts
    const shape = shapes.require(request.shapeName ?? request.shape ?? '', member)
    requireAllowed(request.egress, privateNetworks)
    if (request.egress !== 'internet' && keeper.engines.get(shape.engine)?.capabilities.egress === false)
      throw new ApiError('request.INVALID', {
        message: `The request is not valid: egress: a ${shape.name} uses its own network, so its egress cannot be chosen; leave it out.`,
        fields: { issues: [{ path: 'egress', message: 'cannot be chosen for this shape' }] },
      })
    return shape
  }

  /** Has a sandbox made where there is capacity for it. `commit` makes it in one transaction, by {@link create}. */
  async place<T>(
    shape: CatalogueShape,
    request: Request,
    commit: (target: Target) => Promise<T>,
    { elsewhere, isPlaced }: CreateChoices<T>,
  ): Promise<T> {
    const { choice } = this.#parts
    const here = () => this.#createHere(shape, request, commit)
    try {
      if (isPlaced) return await here()
      return await choice.place(shape, fitsPool(shape, request), ({ nodeId, isHere }) =>
        isHere ? here() : elsewhere(nodeId),
      )
    } catch (refused) {
      if (!(refused instanceof ApiError) || refused.status !== 503) throw refused
      // A repeat gets the answer of the first request, and a caller beyond its quota hears of that, also where there is no capacity.
      return await this.#without('none', commit, () => Promise.reject(refused))
    }
  }

  async #createHere<T>(
    shape: CatalogueShape,
    request: Request,
    commit: (target: Target) => Promise<T>,
  ): Promise<T> {
    const { db, keeper, admission } = this.#parts
    const obstacle = await admission.obstacle(shape)
    if (obstacle) throw obstacle
    const make = async () => {
      // The place is given up when the engine has begun to make the machine and counts it itself.
      using reservation = await admission.reserve(shape)
      return await commit({ nodeId: reservation.nodeId, isHere: true, machine: 'any' })
    }
    const isWarm = shape.warm > 0 && fitsPool(shape, request)
    if (!isWarm || !(await hasReady(db, keeper.nodeId, shape.name))) return make()
    return this.#without('ready', commit, make)
  }

  /** Commits without a place for a new machine, and does otherwise where one is needed. */
  async #without<T>(
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

  /** Claims a machine of the pool, or enters one that is still to be made; counted against every quota. */
  async create(
    tx: Tx,
    member: Actor,
    shape: CatalogueShape,
    request: Request,
    { nodeId, isHere, machine: allowed }: Target,
  ): Promise<CreatedSandbox> {
    const orgId = member.organization.id
    await this.quota.require(tx, member)
    const projectId = await projectFor(tx, orgId, request.projectId)
    if (allowed === 'none') throw new NoMachine()
    const claimed = fitsPool(shape, request) ? await claimReady(tx, nodeId, shape.name) : undefined
    if (!claimed && allowed === 'ready') throw new NoMachine()
    const machine = claimed ?? (await enterMachine(tx, nodeId, shape, request))
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
      idleSeconds: request.idleSeconds,
      labels: request.labels,
    })
    if (claimed) await openSpan(tx, sandbox)
    if (!isHere) await announcePlaced(tx, machine)
    return { sandbox, machine, isClaimed: claimed !== undefined, isHere }
  }

  /** After the commit: makes what is still to be made, in the background. Another node hears of it by itself. */
  carryOut({ machine, isClaimed, isHere }: CreatedSandbox): void {
    const { keeper } = this.#parts
    if (!isHere) return
    if (isClaimed) keeper.handOut(machine.id)
    else void keeper.make(machine, 'sandbox')
  }
}

function enterMachine(tx: Tx, nodeId: string, shape: CatalogueShape, request: Request): Promise<MachineRow> {
  return insertMachine(tx, {
    nodeId,
    engine: shape.engine,
    shapeName: shape.name,
    spec: specOf(shape, request),
  })
}

/** Published clients send "" for none. */
export async function projectFor(tx: Tx, orgId: string, asked: string | undefined): Promise<string> {
  if (asked === undefined || asked === '') return defaultProjectId(tx, orgId)
  if (!(await isProject(tx, orgId, asked))) throw new ApiError('project.NOT_FOUND')
  return asked
}
