import { Readable } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import { isPictureFormat, mediaTypes } from '@sandglass/workers/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Placement } from '../placement/placement.ts'
import { acceptedFormat } from './accept.ts'
import { type PictureId, parsePictureId } from './picture-id.ts'
import { nameText } from './picture-name.ts'
import type { Pictures } from './pictures.ts'

/** Serves GET /screenshots/{id}.{format} to everybody who knows the id, including pages of other origins. */
export function addScreenshots(app: FastifyInstance, pictures: Pictures, placement: Placement): void {
  // Do not use app.get, because the HEAD route that it adds would send the length of its own, empty body.
  app.route<{ Params: { file: string } }>({
    method: ['GET', 'HEAD'],
    url: '/screenshots/:file',
    config: { secretPath: true },
    handler: (request, reply) => answer(request, reply, request.params.file),
  })

  async function answer(request: FastifyRequest, reply: FastifyReply, file: string): Promise<FastifyReply> {
    reply.headers({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      vary: 'Accept',
      'cache-control': 'no-store',
    })
    const { id, extension } = parseFile(file)
    const taken = await pictures.find(id)
    if (!taken) return forward(request, reply, id)
    if (taken.format !== extension) throw new ApiError('screenshot.NOT_FOUND')

    const format = acceptedFormat(request.headers.accept, taken.format)
    const etag = `"${nameText(format === taken.format ? taken : { ...taken, remade: format })}"`
    const seconds = Math.max(0, Math.floor((id.expiresAt - pictures.now()) / 1000))
    const cacheHeaders = { etag, 'cache-control': `public, max-age=${seconds}, immutable` }
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).headers(cacheHeaders).send()

    const picture = await pictures.open(id, taken, format)
    if (!picture) throw new ApiError('screenshot.NOT_FOUND')
    reply.headers({ ...cacheHeaders, 'content-type': mediaTypes[format], 'content-length': picture.size })
    if (request.method === 'GET') return reply.send(picture.body)
    if (picture.body instanceof Readable) picture.body.destroy()
    return reply.send('')
  }

  /** On a disk, or before it is in the bucket, a picture is available only from the process that took it. */
  async function forward(request: FastifyRequest, reply: FastifyReply, id: PictureId): Promise<FastifyReply> {
    if (id.expiresAt <= pictures.now()) throw new ApiError('screenshot.NOT_FOUND')
    const location = await placement.locateTag(id.node)
    if (location.at !== 'node') throw new ApiError('screenshot.NOT_FOUND')
    return placement.peers.forward(request, reply, location.nodeId)
  }
}

function parseFile(file: string): { id: PictureId; extension: string } {
  const dot = file.lastIndexOf('.')
  const id = parsePictureId(file.slice(0, Math.max(0, dot)))
  const extension = file.slice(dot + 1)
  if (!id || !isPictureFormat(extension)) throw new ApiError('screenshot.NOT_FOUND')
  return { id, extension }
}

/** Compares ETags as defined in RFC 9110, 13.1.2. */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false
  return ifNoneMatch.split(',').some(part => ['*', etag].includes(part.trim().replace(/^W\//, '')))
}
