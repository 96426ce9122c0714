import type { Writable } from 'node:stream'
import type { Files } from '@sandglass/machines/contract'
import { ApiError, type FileLocation } from '@sandglass/protocol'
import { failed } from '../../outbound/failures.ts'
import type { Content, Outbound } from '../../outbound/outbound.ts'

/** What a copy is made with, and until when. */
export interface CopyParts {
  readonly files: Files
  readonly outbound: Outbound
  readonly signal: AbortSignal
}

/** From where on a file pays for a connection of its own. */
const large = 4 * 1024 * 1024

type Giving = Extract<FileLocation, { type: 'sandboxFileLocation' | 'httpGetLocation' }>
type Taking = Exclude<FileLocation, { type: 'httpGetLocation' }>
type Url = Exclude<FileLocation, { type: 'sandboxFileLocation' }>

/** Copies one file, streamed from where it is to where it shall be. It appears there whole or not at all. */
export async function copyFile(from: FileLocation, to: FileLocation, parts: CopyParts): Promise<void> {
  requireGiving(from)
  requireTaking(to)
  if (from.type === 'httpGetLocation') await passOn(from, to, parts)
  else if (to.type === 'sandboxFileLocation')
    await parts.files.copy(from.path, to.path, { signal: parts.signal })
  else await sendOut(from.path, to, parts)
}

function requireGiving(from: FileLocation): asserts from is Giving {
  if (from.type !== 'sandboxFileLocation' && from.type !== 'httpGetLocation')
    throw new ApiError('file.COPY', {
      message: `src is an ${from.type}, which can only be written to: use a sandboxFileLocation or an httpGetLocation.`,
    })
}

function requireTaking(to: FileLocation): asserts to is Taking {
  if (to.type === 'httpGetLocation')
    throw new ApiError('file.COPY', {
      message:
        'dest is an httpGetLocation, which gives files and takes none: use a sandboxFileLocation, an httpPutLocation or an httpPostFormLocation.',
    })
}

async function sendOut(path: string, to: Taking & Url, parts: CopyParts): Promise<void> {
  const file = await parts.files.open(path, { signal: parts.signal })
  const { name, size } = file.info
  // Because the length was told before the content.
  const steady = true
  const stream = size < large ? file.read({ steady }) : undefined
  // What becomes of it is told by the upload, if it comes to that.
  stream?.on('error', () => {})
  const content = stream ?? { sendTo: (sink: Writable) => file.sendTo(sink, { steady }) }
  try {
    await upload(content, to, name, size, parts)
  } finally {
    stream?.destroy()
    file.close()
  }
}

async function passOn(
  from: Extract<FileLocation, { type: 'httpGetLocation' }>,
  to: Taking,
  parts: CopyParts,
): Promise<void> {
  const { files, outbound, signal } = parts
  const { headers, body } = await outbound.get(from.url, { headers: from.headers, signal })
  let broken: Error | undefined
  body.on('error', error => {
    broken ??= error
  })
  const told = headers['content-length']
  const size = typeof told === 'string' && /^\d+$/.test(told) ? Number(told) : undefined
  try {
    if (to.type === 'sandboxFileLocation')
      // What a connection brought is nobody else's.
      await files.write(to.path, body, { signal, consume: true, ...(size !== undefined && { size }) })
    else await upload(body, to, new URL(from.url).pathname.split('/').at(-1) || 'file', size, parts)
  } catch (error) {
    if (broken && error === broken) throw failed(new URL(from.url), error)
    throw error
  } finally {
    body.destroy()
  }
}

async function upload(
  body: Content,
  to: Taking & Url,
  name: string,
  size: number | undefined,
  { outbound, signal }: CopyParts,
): Promise<void> {
  const options = { headers: to.headers, signal, ...(size !== undefined && { contentLength: size }) }
  if (to.type === 'httpPutLocation') await outbound.put(to.url, body, options)
  else await outbound.postForm(to.url, to.form, { field: to.fileField, name, body }, options)
}
