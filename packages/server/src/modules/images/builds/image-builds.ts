import { ApiError, type Image } from '@sandglass/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OrganizationPrincipal } from '../../../auth/principal.ts'
import type { Call } from '../../../http/api.ts'
import type { WorkMachines } from '../../../machines/work-machines.ts'
import type { Outbound } from '../../../outbound/outbound.ts'
import { gone } from '../../../placement/gone.ts'
import type { Location } from '../../../placement/location.ts'
import { isPlaced } from '../../../placement/send-create.ts'
import { authorOf } from '../../../records/sandboxes.ts'
import type { Spool } from '../../../spool.ts'
import type { SandboxParts } from '../../sandboxes/parts.ts'
import type { CatalogueShape } from '../../shapes/catalogue.ts'
import type { ImageWork } from '../image-work.ts'
import { requireImageQuota } from '../quota.ts'
import { environmentOf, requireReady, shapeOfImage } from '../ready-image.ts'
import { imageOf, insertImage, selectImage, selectUsableImage } from '../store.ts'
import { ImageBuild } from './build.ts'
import { BuildLog } from './build-log.ts'
import { type KeptLog, KeptLogs } from './kept-logs.ts'
import { StepFiles } from './step-files.ts'
import { type CacheLimits, selectBuildNode } from './store.ts'
import type { BuildUploads } from './uploads.ts'
import { packagesOf, type WorkStep } from './work-step.ts'

/** What an organization keeps of its builds on each node. */
const limits: CacheLimits = { maxSteps: 50, maxMiB: 20 * 1024 }

/** The largest number of variables that a machine takes. */
const maxVariables = 100

/** What is asked for, and by whom. */
export interface AskedBuild {
  readonly member: OrganizationPrincipal
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly change: Call<string, undefined, undefined>['change']
  readonly from: { readonly shapeName: string } | { readonly imageId: string }
  readonly steps: readonly WorkStep[]
  /** The steps that are done again although an earlier build has their result. */
  readonly forced?: ReadonlySet<number>
  readonly name: string
  readonly description?: string | undefined
  /** The id of the new image, if it was chosen before. */
  readonly imageId?: string
  /** Cancels the build. */
  readonly signal: AbortSignal
}

/** What a build starts from, wherever it runs. */
interface Base {
  readonly shape: CatalogueShape
  /** The saved disk of an image, and where it is. */
  readonly disk?: { readonly id: string; readonly location: Location }
  readonly env: Readonly<Record<string, string>>
}

export interface ImageBuildParts {
  readonly sandboxes: SandboxParts
  readonly outbound: Outbound
  readonly spool: Spool
  readonly work: ImageWork
  readonly machines: WorkMachines
  readonly uploads: BuildUploads
}

/** Builds images on the node that has what they start from. */
export class ImageBuilds {
  readonly uploads: BuildUploads
  readonly #parts: ImageBuildParts
  readonly #logs = new KeptLogs()

  constructor(parts: ImageBuildParts) {
    this.#parts = parts
    this.uploads = parts.uploads
  }

  /** The images of the builds in the background of this process. */
  get inBackground(): readonly string[] {
    return this.#logs.unfinished
  }

  /** Begins a build, and returns its log, or the reply if the request was forwarded to another node. */
  async begin(asked: AskedBuild): Promise<BuildLog | FastifyReply> {
    const { placement, creation } = this.#parts.sandboxes
    const { request, reply } = asked
    const base = await this.#findBase(asked)
    requireFewVariables(asked.steps, base.env)
    const here = () => this.#beginHere(asked, base)
    if (base.disk) {
      const { location } = base.disk
      if (location.at === 'here') return await here()
      if (location.at === 'gone') throw gone(location)
      return await placement.peers.forward(request, reply, location.nodeId)
    }
    if (isPlaced(placement.peers, request)) return await here()
    return await creation.choice.place<BuildLog | FastifyReply>(base.shape, false, ({ nodeId, isHere }) =>
      isHere ? here() : placement.peers.forward(request, reply, nodeId),
    )
  }

  /** Begins a build that goes on when its caller disconnects. Returns the reply if the request was forwarded to another node. */
  async beginInBackground(asked: Omit<AskedBuild, 'signal'>): Promise<FastifyReply | undefined> {
    const { signal } = new AbortController()
    const begun = await this.begin({ ...asked, signal })
    if (!(begun instanceof BuildLog)) return begun
    this.#logs.keep(begun.imageId, begun)
    return undefined
  }

  /** Finds the process that has the log of a build in the background. */
  async locate(imageId: string): Promise<Location> {
    const { db, placement } = this.#parts.sandboxes
    return placement.locate({ node_id: (await selectBuildNode(db, imageId)) ?? null })
  }

  /** Returns the log of a build in the background of this process, unless it ended long ago. */
  logOf(imageId: string): KeptLog | undefined {
    return this.#logs.find(imageId)
  }

  async #findBase({ member, from }: AskedBuild): Promise<Base> {
    const { db, creation, keeper, placement } = this.#parts.sandboxes
    const choices = { egress: 'internet' } as const
    if ('shapeName' in from) return { shape: creation.shapeFor(from.shapeName, choices, member), env: {} }
    const image = requireReady(await selectUsableImage(db, member.organization.id, from.imageId))
    const shape = shapeOfImage(creation.shapeFor(image.shape_name, choices, member), image)
    if (image.disk_id === null) throw new ApiError('image.NOT_FOUND')
    return {
      shape,
      disk: { id: image.disk_id, location: placement.locate(image) },
      env: environmentOf(image, keeper.environment),
    }
  }

  async #beginHere(asked: AskedBuild, { shape, disk, env }: Base): Promise<BuildLog> {
    const { sandboxes, spool, outbound, work, machines, uploads } = this.#parts
    const { db, keeper, creation, disks, metrics } = sandboxes
    const { member, request, steps, signal: caller, forced = new Set() } = asked
    const orgId = member.organization.id
    using holding = new DisposableStack()
    const reservation = holding.use(await creation.reserve(shape))
    const engine = keeper.engineOf(shape)
    if (!engine.snapshots) throw new ApiError('snapshot.UNSUPPORTED')
    if (steps.some(step => packagesOf(step) !== undefined) && !keeper.engines.packages)
      throw new ApiError('application.UNAVAILABLE')
    const digest = disk ? `disk ${disk.id}` : await engine.imageDigest?.(shape.image)
    const image = await this.#insertRow(asked, shape)
    const log = new BuildLog(image.id)
    const kept = holding.move()
    const building = work.run(image.id, caller, async signal => {
      using _reserved = kept
      await using files = new StepFiles(spool, outbound)
      const end = metrics.building()
      let isReady = false
      const build = new ImageBuild(
        {
          orgId,
          image,
          shape,
          // Without a digest nothing is known about the base, so no later build may use these steps.
          base: `${shape.engine} ${shape.image} ${shape.diskMiB} ${digest ?? image.id}`,
          baseDiskId: disk?.id,
          env,
          steps,
          forced,
          limits,
          admit: tx => creation.quota.require(tx, member),
          onCounted: () => reservation[Symbol.dispose](),
        },
        { db, keeper, disks, machines, files, uploads, log, signal },
      )
      try {
        isReady = await build.run()
      } finally {
        end(isReady)
      }
    })
    building.catch(error => request.log.error({ image: image.id, error }, 'a build could not be recorded'))
    return log
  }

  async #insertRow(asked: AskedBuild, shape: CatalogueShape): Promise<Image> {
    const { creation, keeper, shapes } = this.#parts.sandboxes
    const { member, name, description, steps, imageId, change } = asked
    return await change(async tx => {
      const orgId = member.organization.id
      await requireImageQuota(tx, orgId)
      await creation.quota.require(tx, member)
      const id = await insertImage(tx, {
        ...(imageId !== undefined && { id: imageId }),
        orgId,
        name,
        description: description ?? null,
        shapeName: shape.name,
        from: { madeByNode: keeper.nodeId, kind: 'build', steps: steps.length },
        createdBy: authorOf(member),
      })
      const row = await selectImage(tx, id)
      if (!row) throw new ApiError('image.NOT_FOUND')
      return { answer: imageOf(row, shapes), target: id }
    })
  }
}

function requireFewVariables(steps: readonly WorkStep[], env: object): void {
  const names = new Set(Object.keys(env))
  for (const step of steps) if ('env' in step) for (const name of Object.keys(step.env)) names.add(name)
  if (names.size <= maxVariables) return
  throw new ApiError('request.INVALID', {
    message: `The request is not valid: steps: they and the image that the build starts from set ${names.size} variables, and at most ${maxVariables} are allowed.`,
    fields: { issues: [{ path: 'steps', message: `at most ${maxVariables} variables are allowed` }] },
  })
}
