import { Readable } from 'node:stream'
import type { FileInfo, OpenFile } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import { create as contentDisposition } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import parseRange from 'range-parser'

interface Part {
  readonly offset: number
  readonly length: number
}

/**
 * Answers with the content of a file, or the part that Range names. What a guest wrote must never run as a page of the
 * service's origin, so it comes as an attachment of no type, and in a sandbox of the browser's.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  file: OpenFile,
): Promise<FastifyReply> {
  const { info } = file
  const validators = validatorsOf(info)
  const part = partOf(request, info, validators['last-modified'])
  if (part === 'beyond') {
    file.close()
    reply.header('content-range', `bytes */${info.size}`)
    throw new ApiError('file.RANGE', {
      message: `The range starts beyond the end of the file, which has ${info.size} bytes.`,
    })
  }
  reply.headers({ ...validators, 'cache-control': 'private, no-cache' })
  // Cache-Control of a request is for caches, and fetch() sends no-cache with every condition.
  if (fresh({ ...request.headers, 'cache-control': undefined }, validators)) {
    file.close()
    return reply.code(304).send()
  }
  reply.headers({
    'accept-ranges': 'bytes',
    'content-type': 'application/octet-stream',
    'content-disposition': contentDisposition(info.name),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'content-length': part?.length ?? info.size,
  })
  if (part) {
    const { offset, length } = part
    reply.code(206).header('content-range', `bytes ${offset}-${offset + length - 1}/${info.size}`)
  }
  if (request.method === 'HEAD') {
    file.close()
    // A stream without content leaves the length as it is.
    return reply.send(Readable.from([]))
  }
  await sendRaw(reply.hijack(), file, part)
  request.server.answers.notify(request, reply)
  return reply
}

/** Past the framework's stream, which would take new buffers for every piece. */
async function sendRaw(reply: FastifyReply, file: OpenFile, part: Part | undefined): Promise<void> {
  const { raw } = reply
  raw.statusCode = reply.statusCode
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  try {
    await file.sendTo(raw, part)
    raw.end()
  } catch {
    // The head has promised a length; that it is not kept is all that can still be told.
    raw.destroy()
  }
}

/** Weak: a file may change twice within the resolution of its time. */
function validatorsOf({ size, modifiedMs }: FileInfo) {
  return {
    etag: `W/"${size.toString(16)}-${modifiedMs.toString(16)}"`,
    'last-modified': new Date(modifiedMs).toUTCString(),
  }
}

/** Undefined for the whole: without Range, with several ranges or a malformed one, and where If-Range does not hold. */
function partOf(request: FastifyRequest, { size }: FileInfo, modified: string): Part | 'beyond' | undefined {
  const { range, 'if-range': ifRange } = request.headers
  if (range === undefined || (ifRange !== undefined && ifRange !== modified)) return undefined
  const ranges = parseRange(size, range, { combine: true })
  if (ranges === -1) return 'beyond'
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 || !ranges[0]) return undefined
  const [{ start, end }] = ranges
  return { offset: start, length: end - start + 1 }
}
