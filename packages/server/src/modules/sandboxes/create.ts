import { randomUUID } from 'node:crypto'
import { ApiError, type CreateSandboxRequest } from '@sandglass/protocol'
import type { z } from 'zod'
import type { Actor } from '../../auth/principal.ts'
import type { Tx } from '../../db/database.ts'
import type { MachineKeeper } from '../../machines/keeper.ts'
import { fitsPool, specOf } from '../../machines/spec.ts'
import { claimReady, insertMachine, type MachineRow } from '../../machines/store.ts'
import { defaultProjectId, isProject } from '../projects/store.ts'
import type { Catalogue, CatalogueShape } from '../shapes/catalogue.ts'
import { openSpan } from '../usage/store.ts'
import { requireAllowed } from './egress.ts'
import { SandboxQuota } from './quota.ts'
import { authorOf, insertSandbox, type SandboxRow } from './store.ts'

type Request = z.output<typeof CreateSandboxRequest>

/** How soon a caller that found no room should ask again. */
const roomRetrySeconds = 10
const readyRetrySeconds = 15

export interface CreatedSandbox {
  readonly sandbox: SandboxRow
  /** The machine that is still to be made; undefined where one of the pool was claimed. */
  readonly toMake: MachineRow | undefined
}

/** What a create needs to know before its transaction begins. */
export class SandboxCreation {
  readonly quota = new SandboxQuota()
  readonly #keeper: MachineKeeper
  readonly #shapes: Catalogue
  readonly #privateNetworks: readonly string[]

  constructor(keeper: MachineKeeper, shapes: Catalogue, privateNetworks: readonly string[]) {
    this.#keeper = keeper
    this.#shapes = shapes
    this.#privateNetworks = privateNetworks
  }

  /** The shape that is asked for, if this caller may have it and it can be made. */
  shapeFor(request: Request, member: Actor): CatalogueShape {
    const shape = this.#shapes.require(request.shapeName ?? request.shape ?? '', member)
    requireAllowed(request.egress, this.#privateNetworks)
    const { engines } = this.#keeper
    if (request.egress !== 'internet' && engines.get(shape.engine)?.capabilities.egress === false)
      throw new ApiError('request.INVALID', {
        message: `The request is not valid: egress: a ${shape.name} uses its own network, so its egress cannot be chosen; leave it out.`,
        fields: { issues: [{ path: 'egress', message: 'cannot be chosen for this shape' }] },
      })
    const obstacle = engines.obstacle(shape.engine, shape.image)
    if (obstacle !== undefined)
      throw new ApiError('machine.NOT_READY', { message: obstacle, retryAfter: readyRetrySeconds })
    return shape
  }

  /** Claims a machine of the pool, or enters one that is still to be made; counted against every quota. */
  async create(tx: Tx, member: Actor, shape: CatalogueShape, request: Request): Promise<CreatedSandbox> {
    const orgId = member.organization.id
    await this.quota.require(tx, member)
    const projectId = await projectFor(tx, orgId, request.projectId)
    const { nodeId } = this.#keeper
    const claimed = fitsPool(shape, request) ? await claimReady(tx, nodeId, shape.name) : undefined
    const machine = claimed ?? (await this.#enterMachine(tx, shape, request))
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
    return { sandbox, toMake: claimed ? undefined : machine }
  }

  async #enterMachine(tx: Tx, shape: CatalogueShape, request: Request): Promise<MachineRow> {
    const shortage = await this.#keeper.engineOf(shape).shortage(shape.diskMiB)
    if (shortage !== undefined)
      throw new ApiError('machine.NO_CAPACITY', { message: shortage, retryAfter: roomRetrySeconds })
    const { nodeId } = this.#keeper
    return insertMachine(tx, {
      nodeId,
      engine: shape.engine,
      shapeName: shape.name,
      spec: specOf(shape, request),
    })
  }

  /** After the commit: makes what is still to be made, in the background. */
  carryOut({ toMake, sandbox }: CreatedSandbox): void {
    if (toMake) void this.#keeper.make(toMake, 'sandbox')
    else if (sandbox.machine_id !== null && sandbox.node_id === this.#keeper.nodeId)
      this.#keeper.handOut(sandbox.machine_id)
  }
}

/** Published clients send "" for none. */
export async function projectFor(tx: Tx, orgId: string, asked: string | undefined): Promise<string> {
  if (asked === undefined || asked === '') return defaultProjectId(tx, orgId)
  if (!(await isProject(tx, orgId, asked))) throw new ApiError('project.NOT_FOUND')
  return asked
}
