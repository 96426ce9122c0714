import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type BackupStorage, BackupStorageError } from './storage.ts'

const partSuffix = '.part'

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist, or did not when the service was started',
  ENOSPC: 'no space is left on it',
  EDQUOT: 'its quota is used up',
  EROFS: 'it is read-only',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  ENOTDIR: 'it is not a folder',
  EIO: 'the disk has failed',
  ESTALE: 'it is not mounted any more',
}

/** Keeps backups in a folder, which may be a network file system. */
export class FolderStorage implements BackupStorage {
  readonly shown: string
  readonly #root: string

  constructor(root: string) {
    this.#root = root
    this.shown = root
  }

  get(name: string): Promise<Buffer | undefined> {
    return this.#run(() => ifThere(readFile(join(this.#root, name))))
  }

  async put(name: string, body: Buffer): Promise<void> {
    const path = join(this.#root, name)
    await this.#run(async () => {
      // The folder itself is not created: a file system that is not mounted must not be mistaken for an empty one.
      await stat(this.#root)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      try {
        await writeSynced(`${path}${partSuffix}`, body)
        await rename(`${path}${partSuffix}`, path)
      } catch (error) {
        await rm(`${path}${partSuffix}`, { force: true })
        throw error
      }
    })
  }

  async delete(name: string): Promise<void> {
    await this.#run(() => rm(join(this.#root, name), { force: true }))
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const entries = await this.#run(() => ifThere(readdir(join(this.#root, prefix), { withFileTypes: true })))
    for (const entry of (entries ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      if (entry.isDirectory()) yield* this.list(`${prefix}${entry.name}/`)
      else if (!entry.name.endsWith(partSuffix)) yield `${prefix}${entry.name}`
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
      const problem = problems[code] ?? (cause instanceof Error ? cause.message : String(cause))
      throw new BackupStorageError(`The folder ${this.#root} of the backups cannot be used: ${problem}.`, {
        cause,
      })
    }
  }
}

async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}

async function writeSynced(path: string, body: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(body)
    await file.sync()
  } finally {
    await file.close()
  }
}
