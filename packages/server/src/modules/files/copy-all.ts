import { ApiError, type copyFilesWithSandbox } from '@sandglass/protocol'
import type { FastifyBaseLogger } from 'fastify'
import type { z } from 'zod'
import { type CopyParts, copyFile } from './copy.ts'
import { fileError } from './failures.ts'

type Item = z.output<NonNullable<typeof copyFilesWithSandbox.body>>['files'][number]
type Result = z.input<NonNullable<typeof copyFilesWithSandbox.response>>['results'][number]

/** How many files of one call are copied at a time. */
const atOnce = 4

/** Copies every file, a few at a time, and tells of each in the order in which they were asked for. */
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
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

/** Why a copy failed, in words for its caller; undefined where it did not. */
async function problemOf(
  copying: Promise<void>,
  signal: AbortSignal,
  log: FastifyBaseLogger,
): Promise<string | undefined> {
  try {
    await copying
    return undefined
  } catch (error) {
    const told = fileError(error)
    if (told instanceof ApiError) return told.message
    if (!signal.aborted) log.error({ error }, 'a copy failed')
    return new ApiError('file.COPY').message
  }
}
