import { MachineError } from '@sandglass/machines/contract'
import * as protocol from '@sandglass/protocol'
import { ApiError, type Image } from '@sandglass/protocol'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply } from 'fastify'
import type { z } from 'zod'
import { transact } from '../../../db/transact.ts'
import type { Api, Call } from '../../../http/api.ts'
import { streamOf } from '../../../http/body.ts'
import type { WorkMachine, WorkMachines } from '../../../machines/work-machines.ts'
import { gone } from '../../../placement/gone.ts'
import { isPlaced } from '../../../placement/send-create.ts'
import { failImage, finishImage, lockImage } from '../../../records/made-images.ts'
import { authorOf } from '../../../records/sandboxes.ts'
import { lockReadyDisk } from '../../../records/saved-disks.ts'
import type { Spool } from '../../../spool.ts'
import { diskFailure, engineFailure } from '../../sandboxes/engine-failure.ts'
import type { SandboxParts } from '../../sandboxes/parts.ts'
import type { CatalogueShape } from '../../shapes/catalogue.ts'
import { StepFailure } from '../builds/step-failure.ts'
import type { ImageWork } from '../image-work.ts'
import { requireImageQuota } from '../quota.ts'
import { environmentOf, type ReadyImage, requireReady, shapeOfImage } from '../ready-image.ts'
import { saveWork } from '../save-work.ts'
import { deleteImageRow, imageOf, insertImage, selectImage, selectUsableImage } from '../store.ts'
import { imageFileOf, type ReceivedImage, receiveImage } from './image-file.ts'
import { architectureOf } from './layout.ts'
import { readArchive, writeArchive } from './run-archive.ts'
import { Transfers } from './transfers.ts'

const MiB = 1024 * 1024
/** A file has all files of an image, and those of its base are not on the disk of a machine. */
const maxBaseMiB = 8192

type ImportCall = Call<
  typeof protocol.importMachineImage.path,
  z.output<NonNullable<typeof protocol.importMachineImage.query>>,
  undefined
>
type Member = ImportCall['member']

export interface ImageFileParts {
  readonly sandboxes: SandboxParts
  readonly spool: Spool
  readonly work: ImageWork
  readonly machines: WorkMachines
}

/** Serves images as files. Only a machine of its own ever reads or writes the files of an image. */
export function serveImageFiles(api: Api, { sandboxes, spool, work, machines }: ImageFileParts): void {
  const { db, shapes, placement, keeper, creation } = sandboxes
  const transfers = new Transfers()

  api.serve(protocol.exportMachineImage, async ({ member, params, request, reply, signal: caller }) => {
    const image = requireReady(await selectUsableImage(db, member.organization.id, params.imageId))
    const location = placement.locate(image)
    if (location.at === 'gone') throw gone(location)
    if (location.at === 'node') return placement.peers.forward(request, reply, location.nodeId)
    const shape = shapeOfImage(creation.shapeFor(image.shape_name, { egress: 'none' }, member), image)
    return await work.run(image.id, caller, async signal => {
      await using held = new AsyncDisposableStack()
      held.use(transfers.begin(member.organization.id))
      const { content, diffSha256 } = await archiveOf(member, image, shape, signal).catch(error => {
        throw failureOf(error, signal)
      })
      held.use(content)
      // If the caller has left already, nobody would say later that the content is not needed any more.
      if (signal.aborted) throw failureOf(undefined, signal)
      const file = imageFileOf(
        {
          name: image.name,
          description: image.description,
          shapeName: image.shape_name,
          env: environmentOf(image, keeper.environment),
          architecture: shape.architecture,
          createdAt: image.created_at.toISOString(),
        },
        { size: content.size, sha256: content.sha256, diffSha256 },
        content,
      )
      const kept = held.move()
      reply.raw.once('close', () => void kept.disposeAsync())
      return reply
        .headers({
          'content-type': 'application/octet-stream',
          'content-length': file.size,
          'content-disposition': contentDisposition(`${image.name.replaceAll(/[\\/]/g, '-')}.tar`),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
        .send(file.read())
    })
  })

  async function archiveOf(member: Member, image: ReadyImage, shape: CatalogueShape, signal: AbortSignal) {
    await using machine = await startMachine(member, shape, image.disk_id, signal)
    const maxBytes = (shape.diskMiB + maxBaseMiB) * MiB
    const tooLarge = () =>
      new ApiError('image.UNREADABLE', { message: 'The image is too large to be exported.' })
    return await writeArchive(
      machine.machine,
      content => spool.store(content, { maxBytes, tooLarge, signal }),
      signal,
    )
  }

  async function startMachine(
    member: Member,
    shape: CatalogueShape,
    diskId: string | null,
    signal: AbortSignal,
  ): Promise<WorkMachine> {
    using reservation = await creation.reserve(shape)
    if (!keeper.engineOf(shape).snapshots) throw new ApiError('snapshot.UNSUPPORTED')
    return await machines.start({
      orgId: member.organization.id,
      shape,
      egress: 'none',
      admit: async tx => {
        await creation.quota.require(tx, member)
        if (diskId === null) return undefined
        const disk = await lockReadyDisk(tx, diskId)
        if (!disk) throw new ApiError('image.NOT_FOUND')
        return disk
      },
      onCounted: () => reservation[Symbol.dispose](),
      signal,
    })
  }

  api.serve(protocol.importMachineImage, async call => {
    const { member, query, request, reply } = call
    const named = query.shapeName === undefined ? undefined : shapeFor(member, query.shapeName)
    if (!named && keeper.engines.names.length === 0) throw unnamed()
    if (!named || isPlaced(placement.peers, request)) return await importHere(call)
    // The file can be read only once, so no other node can be tried after this one was chosen.
    const run = await creation.choice.place<() => Promise<Image | FastifyReply>>(
      named,
      false,
      async ({ nodeId, isHere }) => {
        if (!isHere) return () => placement.peers.forward(request, reply, nodeId)
        using _free = await creation.reserve(named)
        return () => importHere(call)
      },
    )
    return await run()
  })

  const shapeFor = (member: Member, name: string) => creation.shapeFor(name, { egress: 'none' }, member)

  async function importHere(call: ImportCall): Promise<Image> {
    const { member, query, request, signal: caller } = call
    await transact(db, tx => requireImageQuota(tx, member.organization.id))
    return await work.run('', caller, async signal => {
      using _transfer = transfers.begin(member.organization.id)
      const maxMiB = Math.max(...shapes.all().map(({ diskMiB }) => diskMiB)) + maxBaseMiB
      await using received = await receiveImage(streamOf(request), spool, maxMiB * MiB, signal).catch(
        error => {
          throw failureOf(error, signal)
        },
      )
      const shapeName = query.shapeName ?? received.shapeName
      if (shapeName === undefined)
        throw new ApiError('image.FILE', {
          message: 'The file does not say its shape. Name one with shapeName.',
        })
      const shape = shapeFor(member, shapeName)
      requireArchitecture(shape, received)
      const image = await insertRow(call, shape, received)
      try {
        return await work.run(image.id, signal, inner => restore(member, shape, image, received, inner))
      } catch (error) {
        await discard(image.id)
        throw failureOf(error, signal)
      }
    })
  }

  async function restore(
    member: Member,
    shape: CatalogueShape,
    image: Image,
    { layer, env }: ReceivedImage,
    signal: AbortSignal,
  ): Promise<Image> {
    await using machine = await startMachine(member, shape, null, signal)
    await readArchive(machine.machine, layer.read(), signal)
    const sealed = keeper.environment.sealVariables(image.id, env)
    const { sizeMiB } = await saveWork(sandboxes, machine, {
      lock: tx => lockImage(tx, image.id),
      record: async (tx, diskId) => {
        if (!(await finishImage(tx, image.id, diskId, sealed))) throw new ApiError('image.NOT_FOUND')
      },
    })
    return { ...image, status: 'READY', sizeMiB }
  }

  async function insertRow(
    { member, query, change }: ImportCall,
    shape: CatalogueShape,
    { description }: ReceivedImage,
  ): Promise<Image> {
    return await change(async tx => {
      const orgId = member.organization.id
      await requireImageQuota(tx, orgId)
      const id = await insertImage(tx, {
        orgId,
        name: query.name,
        description: query.description ?? textOf(description) ?? null,
        shapeName: shape.name,
        from: { madeByNode: keeper.nodeId, kind: 'import' },
        createdBy: authorOf(member),
      })
      const row = await selectImage(tx, id)
      if (!row) throw new ApiError('image.NOT_FOUND')
      return { answer: imageOf(row, shapes), target: id }
    })
  }

  /** The caller learns why it failed, so nothing of the image is left. If it cannot be deleted, a sweep sets it to ERROR. */
  async function discard(id: string): Promise<void> {
    await transact(db, async tx => void (await deleteImageRow(tx, id))).catch(() =>
      transact(db, tx => failImage(tx, id, 'The import failed.')).catch(() => {}),
    )
  }
}

/** A process without machines would have to receive the whole file before it knows which node to choose. */
function unnamed(): ApiError {
  const message = 'must be given, because the process that was asked has no machines'
  return new ApiError('request.INVALID', {
    message: `The request is not valid: shapeName: ${message}.`,
    fields: { issues: [{ path: 'shapeName', message }] },
  })
}

function requireArchitecture(shape: CatalogueShape, { architecture }: ReceivedImage): void {
  const needed = architectureOf(shape)
  if (architecture === needed) return
  throw new ApiError('image.FILE', {
    message: `The image is for ${architecture}, and machines of the shape ${shape.name} need ${needed}.`,
  })
}

/** What a file says about itself is not checked by anybody else, and the database takes no NUL. */
const textOf = (description: string | undefined): string | undefined =>
  description?.replaceAll('\0', '').slice(0, 500)

/** Returns the error for a caller whose image could not be read or written. */
function failureOf(cause: unknown, signal: AbortSignal): Error {
  const error = signal.aborted ? signal.reason : cause
  if (error instanceof ApiError) return error
  if (error instanceof StepFailure) return new ApiError('machine.FAILED', { message: error.message, cause })
  if (error instanceof MachineError && error.code === 'NO_SPACE')
    return new ApiError('image.FILE', { message: error.message, cause })
  return (
    engineFailure(error) ??
    diskFailure(error) ??
    new ApiError('machine.FAILED', {
      message: error instanceof MachineError ? error.message : 'The image could not be read or written.',
      cause,
    })
  )
}
