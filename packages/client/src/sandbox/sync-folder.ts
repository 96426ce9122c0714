import type { SandboxFile } from '@sandglass/protocol'
import type { CallOptions } from '../call-options.ts'
import { NotFoundError } from '../errors.ts'
import { type LocalEntry, localContent, readLocalFolder } from './local-folder.ts'
import { setTimes } from './set-times.ts'
import type { Target } from './target.ts'

export interface SyncOptions extends CallOptions {
  /** Whether files and folders in the sandbox that are not here are removed. They are kept by default. */
  readonly remove?: boolean | undefined
  /** Returns false for what is left out, with its path relative to the folder. A folder that is left out is not entered. */
  readonly filter?: ((path: string) => boolean) | undefined
}

/** Paths are relative to the folder. */
export interface SyncResult {
  readonly uploaded: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  /** What is neither a file nor a folder, such as a symlink, and names that are not Unicode. */
  readonly skipped: readonly string[]
}

/** How many requests are made at the same time. */
const atOnce = 8

type Remote = ReadonlyMap<string, SandboxFile>

/** Copies what differs. A file differs by its size, its permissions or its time, which a copy keeps. */
export async function syncFolder(
  target: Target,
  localFolder: string,
  folder: string,
  options: SyncOptions,
): Promise<SyncResult> {
  const { remove = false, filter = () => true, ...call } = options
  const local = await readLocalFolder(localFolder, filter)
  const remote = await readRemoteFolder(target, folder, local.entries, call)
  const place = (path: string) => `${folder}/${path}`
  const removed = remove ? [...remote.keys()].filter(path => !local.entries.has(path) && filter(path)) : []
  const replaced = [...local.entries].filter(([path, entry]) => isOtherKind(entry, remote.get(path)))
  const { client, sandboxId } = target
  await each([...removed, ...replaced.map(([path]) => path)], path =>
    client.removeSandboxFile({ sandboxId, path: place(path) }, call),
  )
  const files = [...local.entries].filter(([, { isFolder }]) => !isFolder)
  const changed = files.filter(([path, entry]) => !isSame(entry, remote.get(path)))
  await each(changed, async ([path, { size, mode }]) => {
    const body = await localContent(`${localFolder}/${path}`, size)
    const bits = mode.toString(8).padStart(3, '0')
    await client.writeSandboxFile({ sandboxId, path: place(path), mode: bits, body }, call)
  })
  const folders = [...local.entries].filter(([path, entry]) => entry.isEmptyFolder && !remote.has(path))
  await each(folders, ([path]) => client.makeSandboxFolder({ sandboxId, body: { path: place(path) } }, call))
  await setTimes(
    target,
    changed.map(([path, { modifiedMs }]) => ({ path: place(path), modifiedMs })),
    call,
  )
  const isChanged = new Set(changed)
  return {
    uploaded: changed.map(([path]) => path),
    removed,
    unchanged: files.filter(file => !isChanged.has(file)).map(([path]) => path),
    skipped: local.skipped,
  }
}

/** Lists a folder of the sandbox with those folders in it that are here, too. */
async function readRemoteFolder(
  { client, sandboxId }: Target,
  folder: string,
  local: ReadonlyMap<string, LocalEntry>,
  call: CallOptions,
): Promise<Remote> {
  const found = new Map<string, SandboxFile>()
  const enter = async (above: string): Promise<void> => {
    const path = above === '' ? folder : `${folder}/${above}`
    const folders: string[] = []
    for await (const file of client.all('listSandboxFiles', { sandboxId, path }, call)) {
      const below = above === '' ? file.name : `${above}/${file.name}`
      found.set(below, file)
      if (file.kind === 'directory' && local.get(below)?.isFolder) folders.push(below)
    }
    await each(folders, enter)
  }
  await enter('').catch(error => {
    if (!(error instanceof NotFoundError) || error.code !== 'file.NOT_FOUND') throw error
  })
  return found
}

function isSame({ size, mode, modifiedMs }: LocalEntry, remote: SandboxFile | undefined): boolean {
  if (remote?.kind !== 'file' || remote.size !== size) return false
  return Number.parseInt(remote.mode, 8) === mode && Date.parse(remote.modifiedAt) === modifiedMs
}

function isOtherKind({ isFolder }: LocalEntry, remote: SandboxFile | undefined): boolean {
  return remote !== undefined && (remote.kind === 'directory') !== isFolder
}

/** Does the work for each item, some at a time. The first failure ends it. */
async function each<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items.values()
  let hasFailed = false
  const one = async () => {
    for (const item of rest) {
      if (hasFailed) return
      await work(item)
    }
  }
  await Promise.all(
    Array.from({ length: Math.min(atOnce, items.length) }, () =>
      one().catch(error => {
        hasFailed = true
        throw error
      }),
    ),
  )
}
