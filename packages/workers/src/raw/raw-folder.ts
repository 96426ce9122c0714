import { randomUUID } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const namePattern = /^(worker|front)-[0-9a-f-]{36}$/

/** A file of raw frames that is open. */
export interface OpenRawFile {
  readonly name: string
  readonly descriptor: number
  /** Whether it was written by a process that has ended, and is only read now. */
  readonly isOld: boolean
}

/** The folder with the files of raw frames. */
export class RawFolder {
  readonly path: string
  readonly #writer: 'worker' | 'front'
  readonly #inUse = new Set<string>()

  constructor(path: string, writer: 'worker' | 'front') {
    this.path = path
    this.#writer = writer
  }

  /** Opens a new file, or an old one to read it. Throws ENOENT if there is no such file. */
  open(old?: string): OpenRawFile {
    const { O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_RDWR } = constants
    const name = old ?? `${this.#writer}-${randomUUID()}`
    if (!namePattern.test(name)) throw new Error('this is not the name of a file of raw frames')
    mkdirSync(this.path, { recursive: true, mode: 0o700 })
    const flags = O_NOFOLLOW | (old === undefined ? O_RDWR | O_CREAT | O_EXCL : O_RDONLY)
    const descriptor = openSync(join(this.path, name), flags, 0o600)
    this.#inUse.add(name)
    return { name, descriptor, isOld: old !== undefined }
  }

  /** Closes the descriptor of this process. The file counts as in use until `ended` is called. */
  close({ descriptor }: OpenRawFile): void {
    closeSync(descriptor)
  }

  /** Nobody uses the file any more. It stays until `keep` deletes it. */
  ended(name: string): void {
    this.#inUse.delete(name)
  }

  /** Deletes the files that are neither named here nor in use. */
  async keep(names: readonly string[]): Promise<void> {
    const found = await readdir(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return []
    })
    const unneeded = found.filter(name => !names.includes(name) && !this.#inUse.has(name))
    for (const name of unneeded) await rm(join(this.path, name), { force: true })
  }
}
