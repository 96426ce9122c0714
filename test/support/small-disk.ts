import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { temporaryFolder } from './service-process.ts'

const run = promisify(execFile)
const chunk = Buffer.alloc(1024 * 1024)

/** A file system of its own that is small enough to be filled. */
export class SmallDisk {
  readonly folder: string

  private constructor(folder: string) {
    this.folder = folder
  }

  static async mount(mebibytes: number): Promise<SmallDisk> {
    const folder = await temporaryFolder()
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0755`, 'tmpfs', folder])
    // Lazily: a database that was killed may hold it for another moment.
    cleanup.defer(async () => void (await run('umount', ['--lazy', folder])))
    return new SmallDisk(folder)
  }

  /** Leaves no byte free. */
  async fill(): Promise<void> {
    const file = await open(this.#ballast, 'a')
    try {
      for (let size = chunk.length; size >= 1; )
        try {
          await file.write(chunk, 0, size)
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
          size = Math.floor(size / 2)
        }
    } finally {
      await file.close()
    }
  }

  async empty(): Promise<void> {
    await rm(this.#ballast, { force: true })
  }

  get #ballast(): string {
    return join(this.folder, 'ballast')
  }
}
