import { posix } from 'node:path'
import type { FileInfo, FileOptions, Files } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'

/** The most entries that one listing may have, since it is sent as one message. */
const maxEntries = 20_000
const pageLength = 1000

export interface Listed {
  readonly path: string
  readonly info: FileInfo
}

/** Lists a folder and the folders below it, down to a depth. */
export async function* listTree(
  files: Pick<Files, 'list'>,
  folder: string,
  depth: number,
  options: FileOptions,
): AsyncGenerator<Listed> {
  let count = 0
  const left = [{ path: folder, depth }]
  for (let next = left.shift(); next; next = left.shift()) {
    let after: string | undefined
    do {
      const page = await files.list(next.path, {
        ...options,
        limit: pageLength,
        ...(after !== undefined && { after }),
      })
      for (const info of page.entries) {
        if (++count > maxEntries)
          throw new ApiError('request.INVALID', {
            message: `There are more than ${maxEntries} entries; ask for a smaller depth.`,
          })
        const path = posix.join(next.path, info.name)
        yield { path, info }
        if (info.kind === 'directory' && next.depth > 1) left.push({ path, depth: next.depth - 1 })
      }
      after = page.next
    } while (after !== undefined)
  }
}
