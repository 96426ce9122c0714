import type { Writable } from 'node:stream'
import type { Files } from '@sandglass/machines/contract'
import { ApiError, type FileLocation } from '@sandglass/protocol'
import { failed } from '../../outbound/failures.ts'
import type { Content, Outbound } from '../../outbound/outbound.ts'

/** The dependencies of a copy, and the signal that cancels it. */
export interface CopyParts {
  readonly files: Files
  readonly outbound: Outbound
  readonly signal: AbortSignal
}

/** Files of this size and larger are worth a connection of their own. */
const largeFileBytes = 4 * 1024 * 1024

type SourceLocation = Extract<FileLocation, { type: 'sandboxFileLocation' | 'httpGetLocation' }>
type DestinationLocation = Exclude<FileLocation, { type: 'httpGetLocation' }>
type UrlLocation = Exclude<FileLocation, { type: 'sandboxFileLocation' }>

/** Copies one file as a stream. The file appears at the destination completely or not at all. */
export async function copyFile(from: FileLocation, to: FileLocation, parts: CopyParts): Promise<void> {
  requireSource(from)
  requireDestination(to)
  if (from.type === 'httpGetLocation') await copyFromUrl(from, to, parts)
  else if (to.type === 'sandboxFileLocation')
    await parts.files.copy(from.path, to.path, { signal: parts.signal })
  else await copyToUrl(from.path, to, parts)
}

function requireSource(from: FileLocation): asserts from is SourceLocation {
  if (from.type !== 'sandboxFileLocation' && from.type !== 'httpGetLocation')
    throw new ApiError('file.COPY', {
      message: `src is an ${from.type}, which can only be written to: use a sandboxFileLocation or an httpGetLocation.`,
    })
}

function requireDestination(to: FileLocation): asserts to is DestinationLocation {
  if (to.type === 'httpGetLocation')
    throw new ApiError('file.COPY', {
      message:
        'dest is an httpGetLocation, which can only be read from: use a sandboxFileLocation, an httpPutLocation or an httpPostFormLocation.',
    })
}

async function copyToUrl(
  path: string,
  to: DestinationLocation & UrlLocation,
  parts: CopyParts,
): Promise<void> {
  const file = await parts.files.open(path, { signal: parts.signal })
  const { name, size } = file.info
  // Fail if the file changes while it is read, because its length is sent before its content.
  const steady = true
  const stream = size < largeFileBytes ? file.read({ steady }) : undefined
  // Ignore errors here, because the upload reports them.
  stream?.on('error', () => {})
  const content = stream ?? { sendTo: (sink: Writable) => file.sendTo(sink, { steady }) }
  try {
    await upload(content, to, name, size, parts)
  } finally {
    stream?.destroy()
    file.close()
  }
}

async function copyFromUrl(
  from: Extract<FileLocation, { type: 'httpGetLocation' }>,
  to: DestinationLocation,
  parts: CopyParts,
): Promise<void> {
  const { files, outbound, signal } = parts
  const { headers, body } = await outbound.get(from.url, { headers: from.headers, signal })
  let sourceError: Error | undefined
  body.on('error', error => {
    sourceError ??= error
  })
  const lengthHeader = headers['content-length']
  const size =
    typeof lengthHeader === 'string' && /^\d+$/.test(lengthHeader) ? Number(lengthHeader) : undefined
  try {
    if (to.type === 'sandboxFileLocation')
      // Nobody else uses the buffers that a connection delivered, so they can be freed as soon as they are written.
      await files.write(to.path, body, { signal, consume: true, ...(size !== undefined && { size }) })
    else await upload(body, to, new URL(from.url).pathname.split('/').at(-1) || 'file', size, parts)
  } catch (error) {
    if (sourceError && error === sourceError) throw failed(new URL(from.url), error)
    throw error
  } finally {
    body.destroy()
  }
}

async function upload(
  body: Content,
  to: DestinationLocation & UrlLocation,
  name: string,
  size: number | undefined,
  { outbound, signal }: CopyParts,
): Promise<void> {
  const options = { headers: to.headers, signal, ...(size !== undefined && { contentLength: size }) }
  if (to.type === 'httpPutLocation') await outbound.put(to.url, body, options)
  else await outbound.postForm(to.url, to.form, { field: to.fileField, name, body }, options)
}
