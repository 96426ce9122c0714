import { ConfigurationError } from '../errors.ts'

/** A file or folder of this computer. */
export interface LocalEntry {
  readonly isFolder: boolean
  readonly isEmptyFolder: boolean
  readonly size: number
  readonly mode: number
  readonly modifiedMs: number
}

export interface LocalFolder {
  /** By path relative to the folder, with slashes; a folder is before what it contains. */
  readonly entries: ReadonlyMap<string, LocalEntry>
  readonly skipped: readonly string[]
}

type FileSystem = typeof import('node:fs/promises')

/** A file of at most this size is read at once, so that its upload can be repeated. */
const smallBytes = 1024 * 1024
const pieceBytes = 256 * 1024

/** Reads what is in a folder. */
export async function readLocalFolder(
  folder: string,
  filter: (path: string) => boolean,
): Promise<LocalFolder> {
  const files = await fileSystem()
  const entries = new Map<string, LocalEntry>()
  const skipped: string[] = []
  const enter = async (above: string): Promise<number> => {
    const names = await files.readdir(above === '' ? folder : `${folder}/${above}`)
    for (const name of names.sort()) {
      const path = above === '' ? name : `${above}/${name}`
      if (!filter(path)) continue
      // A name that is not Unicode was changed by reading it, so there is no such file.
      const found = await files.lstat(`${folder}/${path}`).catch(() => undefined)
      if (!found?.isFile() && !found?.isDirectory()) {
        skipped.push(path)
        continue
      }
      const entry = {
        isFolder: found.isDirectory(),
        isEmptyFolder: false,
        size: found.size,
        mode: found.mode & 0o777,
        modifiedMs: Math.floor(found.mtimeMs),
      }
      entries.set(path, entry)
      if (entry.isFolder && (await enter(path)) === 0) entries.set(path, { ...entry, isEmptyFolder: true })
    }
    return names.length
  }
  await enter('')
  return { entries, skipped }
}

/** The content of a file, as bytes if it is small. */
export async function localContent(
  path: string,
  size: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const files = await fileSystem()
  if (size <= smallBytes) return new Uint8Array(await files.readFile(path))
  const handle = await files.open(path)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { bytesRead, buffer } = await handle.read(new Uint8Array(pieceBytes))
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead))
        await handle.close()
        controller.close()
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  )
}

/** Hides the import from bundlers, which would complain about a module that browsers do not have. */
async function fileSystem(): Promise<FileSystem> {
  const name = 'node:fs/promises'
  try {
    return await import(/* @vite-ignore */ name)
  } catch (cause) {
    throw new ConfigurationError('There are no files here: folders are copied by Node, Deno and Bun only.', {
      code: 'client.NO_FILES',
      cause,
    })
  }
}
