import type { Readable } from 'node:stream'
import type { Files } from '@sandglass/machines/contract'
import { ApiError, type Location } from '@sandglass/protocol'
import { failed } from '../../outbound/failures.ts'
import type { Outbound } from '../../outbound/outbound.ts'

/** What a copy is made with, and until when. */
export interface CopyParts {
  readonly files: Files
  readonly outbound: Outbound
  readonly signal: AbortSignal
}

interface Source {
  readonly content: Readable
  /** In bytes, where it is known. */
  readonly length?: number
  readonly name: string
}

/** Copies one file, streamed from where it is to where it shall be. It appears there whole or not at all. */
export async function copyFile(from: Location, to: Location, parts: CopyParts): Promise<void> {
  const { files, signal } = parts
  if (from.type === 'sandboxFileLocation' && to.type === 'sandboxFileLocation') {
    await files.copy(from.path, to.path, { signal })
    return
  }
  requireGiving(from)
  requireTaking(to)
  const source = await open(from, parts)
  let broken: Error | undefined
  source.content.on('error', error => {
    broken ??= error
  })
  try {
    await deliver(source, to, parts)
  } catch (error) {
    if (from.type === 'httpGetLocation' && broken && error === broken) throw failed(new URL(from.url), error)
    throw error
  } finally {
    source.content.destroy()
  }
}

type Giving = Extract<Location, { type: 'sandboxFileLocation' | 'httpGetLocation' }>
type Taking = Exclude<Location, { type: 'httpGetLocation' }>

function requireGiving(from: Location): asserts from is Giving {
  if (from.type !== 'sandboxFileLocation' && from.type !== 'httpGetLocation')
    throw new ApiError('file.COPY', {
      message: `src is an ${from.type}, which takes files and gives none: use a sandboxFileLocation or an httpGetLocation.`,
    })
}

function requireTaking(to: Location): asserts to is Taking {
  if (to.type === 'httpGetLocation')
    throw new ApiError('file.COPY', {
      message:
        'dest is an httpGetLocation, which gives files and takes none: use a sandboxFileLocation, an httpPutLocation or an httpPostFormLocation.',
    })
}

async function open(from: Giving, { files, outbound, signal }: CopyParts): Promise<Source> {
  if (from.type === 'sandboxFileLocation') {
    const file = await files.open(from.path, { signal })
    // Steady, because the length was told before the content.
    return { content: file.read({ steady: true }), length: file.info.size, name: file.info.name }
  }
  const { headers, body } = await outbound.get(from.url, { headers: from.headers, signal })
  const length = headers['content-length']
  return {
    content: body,
    ...(typeof length === 'string' && /^\d+$/.test(length) && { length: Number(length) }),
    name: new URL(from.url).pathname.split('/').at(-1) || 'file',
  }
}

async function deliver(
  { content, length, name }: Source,
  to: Taking,
  { files, outbound, signal }: CopyParts,
): Promise<void> {
  if (to.type === 'sandboxFileLocation') {
    // What a connection brought is nobody else's.
    await files.write(to.path, content, {
      signal,
      consume: true,
      ...(length !== undefined && { size: length }),
    })
    return
  }
  const options = { headers: to.headers, signal, ...(length !== undefined && { contentLength: length }) }
  if (to.type === 'httpPutLocation') await outbound.put(to.url, content, options)
  else await outbound.postForm(to.url, to.form, { field: to.fileField, name, body: content }, options)
}
