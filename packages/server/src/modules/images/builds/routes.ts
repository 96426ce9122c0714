import * as protocol from '@sandglass/protocol'
import { ApiError, type Image } from '@sandglass/protocol'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import type { Api, Call } from '../../../http/api.ts'
import { sendEvents } from '../../../http/event-stream.ts'
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
import { StepFiles } from './step-files.ts'
import type { CacheLimits } from './store.ts'

type BuildCall = Call<
  typeof protocol.buildMachineImage.path,
  undefined,
  z.output<NonNullable<typeof protocol.buildMachineImage.body>>
>

/** What an organization keeps of its builds on each node. */
const limits: CacheLimits = { maxSteps: 50, maxMiB: 20 * 1024 }

/** The largest number of variables that a machine takes. */
const maxVariables = 100

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
}

export function serveImageBuilds(api: Api, parts: ImageBuildParts): void {
  const { sandboxes, outbound, spool, work, machines } = parts
  const { db, shapes, placement, keeper, creation, disks, metrics } = sandboxes

  api.serve(protocol.buildMachineImage, async call => {
    const base = await findBase(call)
    requireFewVariables(call.body.steps, base.env)
    const here = () => buildHere(call, base)
    const isPlacedHere = isPlaced(placement.peers, call.request)
    if (base.disk) {
      const { location } = base.disk
      if (location.at === 'here') return await here()
      if (location.at === 'gone') throw gone(location)
      return await placement.peers.forward(call.request, call.reply, location.nodeId)
    }
    if (isPlacedHere) return await here()
    return await creation.choice.place(base.shape, false, ({ nodeId, isHere }) =>
      isHere ? here() : placement.peers.forward(call.request, call.reply, nodeId),
    )
  })

  async function findBase({ member, body: { from } }: BuildCall): Promise<Base> {
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

  async function buildHere(call: BuildCall, { shape, disk, env }: Base): Promise<FastifyReply> {
    const { member, body, reply, signal: caller } = call
    const orgId = member.organization.id
    using holding = new DisposableStack()
    const reservation = holding.use(await creation.reserve(shape))
    const engine = keeper.engineOf(shape)
    if (!engine.snapshots) throw new ApiError('snapshot.UNSUPPORTED')
    if (body.steps.some(step => protocol.packagesOf(step) !== undefined) && !keeper.engines.packages)
      throw new ApiError('application.UNAVAILABLE')
    const digest = disk ? `disk ${disk.id}` : await engine.imageDigest?.(shape.image)
    const image = await insertRow(call, shape)
    const log = new BuildLog()
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
          steps: body.steps,
          limits,
          admit: tx => creation.quota.require(tx, member),
          onCounted: () => reservation[Symbol.dispose](),
        },
        { db, keeper, disks, machines, files, log, signal },
      )
      try {
        isReady = await build.run()
      } finally {
        end(isReady)
      }
    })
    building.catch(error =>
      call.request.log.error({ image: image.id, error }, 'a build could not be recorded'),
    )
    return sendEvents(reply, log)
  }

  async function insertRow({ member, body, change }: BuildCall, shape: CatalogueShape): Promise<Image> {
    return await change(async tx => {
      const orgId = member.organization.id
      await requireImageQuota(tx, orgId)
      await creation.quota.require(tx, member)
      const id = await insertImage(tx, {
        orgId,
        name: body.name,
        description: body.description ?? null,
        shapeName: shape.name,
        from: { madeByNode: keeper.nodeId, kind: 'build', steps: body.steps.length },
        createdBy: authorOf(member),
      })
      const row = await selectImage(tx, id)
      if (!row) throw new ApiError('image.NOT_FOUND')
      return { answer: imageOf(row, shapes), target: id }
    })
  }
}

function requireFewVariables(steps: readonly protocol.BuildStep[], env: object): void {
  const names = new Set(Object.keys(env))
  for (const step of steps) if ('env' in step) for (const name of Object.keys(step.env)) names.add(name)
  if (names.size <= maxVariables) return
  throw new ApiError('request.INVALID', {
    message: `The request is not valid: steps: they and the image that the build starts from set ${names.size} variables, and at most ${maxVariables} are allowed.`,
    fields: { issues: [{ path: 'steps', message: `at most ${maxVariables} variables are allowed` }] },
  })
}
