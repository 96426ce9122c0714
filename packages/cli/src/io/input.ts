import { fstatSync, statSync } from 'node:fs'
import { PassThrough } from 'node:stream'

/** As much as fits in one call, together with what comes in one read more. */
const batchBytes = 640 * 1024

/** Whether there is something to read: a pipe or a file, and neither a person nor nothing. */
export function hasInput(stdin: NodeJS.ReadStream): boolean {
  if (stdin.isTTY) return false
  try {
    const input = fstatSync(0)
    return !input.isCharacterDevice() || input.rdev !== statSync('/dev/null').rdev
  } catch {
    return false
  }
}

/** Reads ahead while the reader is busy, so that it gets few large pieces and not many small ones. */
export function inBatches(stdin: NodeJS.ReadableStream): AsyncIterable<Buffer> {
  return stdin.pipe(new PassThrough({ highWaterMark: batchBytes }))
}
