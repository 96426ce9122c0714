import { basename } from 'node:path/posix'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { Daemon } from '@sandglass/doors/e2b'
import { ApiError } from '@sandglass/protocol'
import type { FastifyRequest } from 'fastify'
import { streamOf } from '../../../http/body.ts'

const limits = { files: 1000, fields: 0, headerPairs: 100, headerSize: 16 * 1024 }

/** A file that was written, as clients read it. */
interface Written {
  readonly name: string
  readonly type: 'file'
  readonly path: string
}

/** Writes the files of a request: one as the body itself, or several in a form, whose file names are their paths. */
export async function upload(
  request: FastifyRequest,
  daemon: Daemon,
  path: string,
  signal: AbortSignal,
): Promise<Written[]> {
  const { 'content-type': type = '', 'content-encoding': encoding } = request.headers
  if (encoding === 'gzip')
    return await unzipped(streamOf(request), body => uploadBody(body, type, daemon, path, signal))
  return await uploadBody(streamOf(request), type, daemon, path, signal)
}

async function uploadBody(
  body: Readable,
  type: string,
  daemon: Daemon,
  path: string,
  signal: AbortSignal,
): Promise<Written[]> {
  const write = (to: string, content: Readable) => writeOne(daemon, to, content, signal)
  if (!type.startsWith('multipart/form-data')) return [await write(path, body)]
  return await writeForm(body, type, (name, content) => write(path || name, content), signal)
}

async function writeOne(
  { files, users, user }: Daemon,
  path: string,
  content: Readable,
  signal: AbortSignal,
): Promise<Written> {
  if (path === '') throw new ApiError('file.INVALID', { message: 'The path of the file is missing.' })
  const at = users.resolve(path, user)
  await files.write(at, content, { signal, ...(user !== undefined && { user }) })
  return { name: basename(at), type: 'file', path: at }
}

async function writeForm(
  body: Readable,
  type: string,
  write: (name: string, content: Readable) => Promise<Written>,
  signal: AbortSignal,
): Promise<Written[]> {
  const form = openForm(type)
  const written: Promise<Written>[] = []
  form.on('file', (_field, content, name) => {
    const one = write(name, content)
    // The next file arrives only when this one has been read, also if it cannot be written.
    one.catch(() => content.resume())
    written.push(one)
  })
  try {
    await pipeline(body, form, { signal })
  } catch (cause) {
    const failed = (await Promise.allSettled(written)).find(one => one.status === 'rejected')
    signal.throwIfAborted()
    throw (
      failed?.reason ?? new ApiError('file.FORM', { message: 'The form is malformed or incomplete.', cause })
    )
  }
  if (written.length === 0) throw new ApiError('file.FORM', { message: 'The form has no file.' })
  return await Promise.all(written)
}

function openForm(type: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits, preservePath: true })
  } catch (cause) {
    throw new ApiError('file.FORM', { cause })
  }
}

/** Uses the content of a compressed body. If it is not compressed properly, that is why its use fails. */
async function unzipped<T>(body: Readable, use: (content: Readable) => Promise<T>): Promise<T> {
  const gunzip = createGunzip()
  let failure: unknown
  pipeline(body, gunzip).catch(cause => {
    failure = cause
  })
  try {
    return await use(gunzip)
  } catch (error) {
    if (failure === undefined) throw error
    throw new ApiError('file.FORM', { message: 'The body is not gzip, or incomplete.', cause: failure })
  }
}
