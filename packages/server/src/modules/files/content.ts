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
 * Sends the content of a file, or the part that Range names. A file of a guest must never run as a page of the service's
 * origin, so it is sent as an attachment without a specific type and with a sandboxing Content-Security-Policy.
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
  // Ignore Cache-Control, because it is meant for caches and fetch() sends no-cache with every conditional request.
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
    // Send an empty stream, because Fastify would set the length to 0 for an empty body.
    return reply.send(Readable.from([]))
  }
  await sendRaw(reply.hijack(), file, part)
  request.server.answers.notify(request, reply)
  return reply
}

/** Bypasses the stream of the framework, which would allocate new buffers for every chunk. */
async function sendRaw(reply: FastifyReply, file: OpenFile, part: Part | undefined): Promise<void> {
  const { raw } = reply
  raw.statusCode = reply.statusCode
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  try {
    await file.sendTo(raw, part)
    raw.end()
  } catch {
    // The headers are sent already, so closing the connection early is the only way to report the failure.
    raw.destroy()
  }
}

/** The ETag is weak, because a file can change twice within the resolution of its modification time. */
function validatorsOf({ size, modifiedMs }: FileInfo) {
  return {
    etag: `W/"${size.toString(16)}-${modifiedMs.toString(16)}"`,
    'last-modified': new Date(modifiedMs).toUTCString(),
  }
}

/**
 * Returns undefined for the whole file: without Range, with several or malformed ranges, and if If-Range does not
 * match.
 */
function partOf(request: FastifyRequest, { size }: FileInfo, modified: string): Part | 'beyond' | undefined {
  const { range, 'if-range': ifRange } = request.headers
  if (range === undefined || (ifRange !== undefined && ifRange !== modified)) return undefined
  const ranges = parseRange(size, range, { combine: true })
  if (ranges === -1) return 'beyond'
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1 || !ranges[0]) return undefined
  const [{ start, end }] = ranges
  return { offset: start, length: end - start + 1 }
}
