import { controlPrefix } from '@sandglass/doors/e2b'
import { ApiError, buildMachineImage } from '@sandglass/protocol'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { disconnectSignal } from '../../../http/api.ts'
import { passBodiesThrough, streamOf } from '../../../http/body.ts'
import type { ControlCall } from '../control/control-call.ts'
import type { DoorParts } from '../door-parts.ts'
import { principalOf } from '../holders.ts'
import { memberOf } from '../member.ts'
import { requireBuilder } from './begin.ts'

const tokenHeader = 'x-upload-token'
const uploadPath = `${controlPrefix}/uploads`
const sha256 = /^[0-9a-f]{64}$/

/** Answers where a client may upload the files of a step, which it sends without its key. */
export async function uploadLink({ tokens, imageBuilds }: DoorParts, call: ControlCall) {
  requireBuilder(call)
  const { request, member, orgId } = call
  const hash = hashIn(request)
  return {
    present: await imageBuilds.uploads.has({ orgId, hash }),
    url: `${request.protocol}://${request.host}${uploadPath}/${hash}`,
    headers: { [tokenHeader]: tokens.forUpload(hash, member) },
  }
}

/** Serves the address at which clients upload files. */
export function serveUploads(scope: FastifyInstance, parts: DoorParts): void {
  const { tokens, imageBuilds } = parts
  const identify = (request: FastifyRequest) => {
    const token = request.headers[tokenHeader]
    const holder = typeof token === 'string' ? tokens.uploadHolder(hashIn(request), token) : undefined
    return principalOf(parts, holder)
  }
  scope.register(async uploads => {
    passBodiesThrough(uploads)
    uploads.put(
      `${uploadPath}/:hash`,
      {
        config: {
          access: buildMachineImage.access,
          ownOrganization: true,
          streamsBody: true,
          operation: buildMachineImage,
          identify,
        },
      },
      async (request, reply) => {
        const { id: orgId } = memberOf(request).organization
        const key = { orgId, hash: hashIn(request) }
        await imageBuilds.uploads.store(key, streamOf(request), disconnectSignal(reply))
        return reply.code(200).send()
      },
    )
  })
}

function hashIn({ params }: FastifyRequest): string {
  const { hash = '' } = params as { readonly hash?: string }
  if (!sha256.test(hash))
    throw new ApiError('request.INVALID', {
      message: 'The hash of the files must be a SHA-256 in hexadecimal digits.',
    })
  return hash
}
