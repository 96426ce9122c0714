import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { formatDisk } from './disk.ts'
import type { Settings } from './options.ts'

/** Disks formatted ahead, one of each size that was asked for, so that a create only renames one into its place. */
export class SpareDisks {
  readonly #folder: string
  readonly #making = new Map<number, Promise<void>>()

  constructor(settings: Pick<Settings, 'dataDir'>) {
    this.#folder = join(settings.dataDir, 'spare-disks')
  }

  /** Lays an empty disk of this size at `path`. */
  async take(path: string, diskMiB: number): Promise<void> {
    const names = await readdir(this.#folder).catch(() => [])
    for (const name of names.filter(name => name.startsWith(`${diskMiB}-`) && name.endsWith('.ext4'))) {
      try {
        // Whoever renames it has it: another create finds it gone.
        await rename(join(this.#folder, name), path)
        return
      } catch {}
    }
    await formatDisk(path, diskMiB)
  }

  /** Formats the next one in the background, unless that is under way. A failure only means that there is none. */
  refill(diskMiB: number): void {
    if (this.#making.has(diskMiB)) return
    const making = this.#make(diskMiB)
      .catch(() => {})
      .finally(() => this.#making.delete(diskMiB))
    this.#making.set(diskMiB, making)
  }

  async #make(diskMiB: number): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    if ((await readdir(this.#folder)).some(name => name.startsWith(`${diskMiB}-`))) return
    const name = join(this.#folder, `${diskMiB}-${randomUUID()}`)
    await formatDisk(`${name}.part`, diskMiB)
    await rename(`${name}.part`, `${name}.ext4`)
  }

  /** Settles when nothing is being formatted any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#making.values())
  }

  async remove(): Promise<void> {
    await this.idle()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
