import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError, type uploadSandboxFiles } from '@sandglass/protocol'
import type { RunningMachine } from '@sandglass/workers/contract'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { streamOf } from '../../http/body.ts'
import { fileError } from './failures.ts'
import { sandboxFile } from './wire.ts'

type Result = z.input<NonNullable<typeof uploadSandboxFiles.response>>['results'][number]

const limits = { files: 1000, fields: 1000, fieldSize: 64 * 1024, headerPairs: 100, headerSize: 16 * 1024 }

/** Writes the files of a form into a folder as they arrive, one after the other. */
export async function uploadForm(
  request: FastifyRequest,
  machine: RunningMachine,
  folder: string,
  signal: AbortSignal,
): Promise<Result[]> {
  const form = openForm(request.headers['content-type'])
  const results: Promise<Result>[] = []
  let tooMany = false
  form.on('filesLimit', () => {
    tooMany = true
  })
  form.on('file', (_field, content, name) => {
    results.push(writeOne(machine, folder, name, content, signal))
  })
  try {
    await pipeline(streamOf(request), form, { signal })
  } catch (cause) {
    await Promise.all(results)
    signal.throwIfAborted()
    throw new ApiError('file.FORM', { message: 'The form is malformed or incomplete.', cause })
  }
  const written = await Promise.all(results)
  if (tooMany) throw new ApiError('file.FORM', { message: `The form has more than ${limits.files} files.` })
  if (written.length === 0) throw new ApiError('file.FORM', { message: 'The form has no file.' })
  return written
}

function openForm(contentType: string | undefined): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType ?? '' }, limits })
  } catch (cause) {
    throw new ApiError('file.FORM', { cause })
  }
}

async function writeOne(
  { files, guest }: RunningMachine,
  folder: string,
  name: string,
  content: Readable,
  signal: AbortSignal,
): Promise<Result> {
  // Read the stream of the form to its end even if the file fails, because the next file would otherwise never arrive.
  const copy = new PassThrough()
  content.on('error', error => copy.destroy(error)).pipe(copy)
  copy.on('error', () => {}).once('close', () => content.unpipe(copy).resume())
  try {
    if (!guest.paths.isFileName(name))
      throw new ApiError('file.FORM', { message: `${JSON.stringify(name)} is not a valid file name.` })
    const file = sandboxFile(await files.write(guest.paths.join(folder, name), copy, { signal }))
    return { name, success: true, file }
  } catch (error) {
    const apiError = fileError(error)
    return {
      name,
      success: false,
      error: apiError instanceof ApiError ? apiError.message : 'The file did not arrive completely.',
    }
  } finally {
    copy.destroy()
  }
}
