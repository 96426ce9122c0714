import { ApiError, type copyFilesWithSandbox } from '@sandglass/protocol'
import type { FastifyBaseLogger } from 'fastify'
import type { z } from 'zod'
import { type CopyParts, copyFile } from './copy.ts'
import { fileError } from './failures.ts'

type Item = z.output<NonNullable<typeof copyFilesWithSandbox.body>>['files'][number]
type Result = z.input<NonNullable<typeof copyFilesWithSandbox.response>>['results'][number]

/** The number of files of one call that are copied at the same time. */
const concurrency = 4

/** Copies files, a few at a time, and returns their results in the order of the request. */
export async function copyAll(
  items: readonly Item[],
  parts: CopyParts,
  log: FastifyBaseLogger,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const work = async () => {
    for (const [index, { id, src, dest }] of waiting) {
      const error = await problemOf(copyFile(src, dest, parts), parts.signal, log)
      results[index] = {
        ...(id !== undefined && { id }),
        success: error === undefined,
        ...(error && { error }),
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return results
}

/** Returns why a copy failed, in words for the caller, or undefined if it succeeded. */
async function problemOf(
  copying: Promise<void>,
  signal: AbortSignal,
  log: FastifyBaseLogger,
): Promise<string | undefined> {
  try {
    await copying
    return undefined
  } catch (error) {
    const apiError = fileError(error)
    if (apiError instanceof ApiError) return apiError.message
    if (!signal.aborted) log.error({ error }, 'a copy failed')
    return new ApiError('file.COPY').message
  }
}
