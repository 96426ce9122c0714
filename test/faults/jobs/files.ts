import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { randomBytes } from '@sandglass/wire/testing'
import type { Job } from './job.ts'
import type { JobWorld } from './job-world.ts'

const paths = 24
/** The service writes files of 4 MiB and more through a file descriptor. */
const sizes = [1, 700, 65_536, 300_000, 5 * 2 ** 20]
const nothing = 'nothing'

const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Writes new files and overwrites old ones. Each must contain the last acknowledged write, or a later one. */
export class Files implements Job {
  readonly name = 'files'
  readonly #world: JobWorld
  readonly #folder: string
  readonly #random: () => number
  /** The possible contents of each file. */
  readonly #possible = new Map<string, Set<string>>()

  constructor(world: JobWorld, folder: string, random: () => number) {
    this.#world = world
    this.#folder = folder
    this.#random = random
  }

  async step(): Promise<boolean> {
    const path = `${this.#folder}/${Math.floor(this.#random() * paths)}`
    const size = sizes[Math.floor(this.#random() ** 2 * sizes.length)] ?? 1
    const bytes = Buffer.from(randomBytes(Math.min(size, 4096), this.#random() * 2 ** 32))
    const content = Buffer.alloc(size, bytes)
    const possible = this.#possible.get(path) ?? new Set([nothing])
    this.#possible.set(path, possible.add(hash(content)))
    const { status } = await this.#world.ask({
      what: 'writeSandboxFile',
      method: 'PUT',
      isAudited: true,
      path: `/files/content?path=${path}`,
      bytes: content,
    })
    if (status === 200) this.#possible.set(path, new Set([hash(content)]))
    return status === 200
  }

  async verify(): Promise<void> {
    // Read from the disk and not from the cache, since only that reveals what a full disk has dropped.
    await this.#world.run(`sync; for f in ${this.#folder}/*; do dd if="$f" iflag=nocache count=0; done 2>&1`)
    for (const [path, possible] of this.#possible) {
      const { status, bytes } = await this.#world.ask({
        what: 'readSandboxFile',
        method: 'GET',
        path: `/files/content?path=${path}`,
      })
      assert.ok(status === 200 || status === 404, `reading ${path} was answered with ${status}`)
      const found = status === 200 ? hash(bytes) : nothing
      assert.ok(possible.has(found), `${path} is not what was acknowledged, but ${bytes.length} other bytes`)
    }
  }
}
