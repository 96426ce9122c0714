import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MemoryTemplate, TemplateSpec } from '../../../contract/memory-templates.ts'
import { takeLock } from '../images/image-lock.ts'
import type { QemuSettings } from '../options.ts'

const MiB = 1024 * 1024
const day = 24 * 60 * 60_000
/** A template that nobody used for so long is removed: its image or QEMU has changed, or its shape is gone. */
const unusedMs = 7 * day

/** The files of a template. */
export interface TemplateFiles {
  readonly folder: string
  readonly memory: string
  readonly state: string
  readonly disk: string
}

/** A template that can be used. */
export interface StoredTemplate extends TemplateFiles {
  /** One that is made again under the same key has another version, and nothing of the one before fits to it. */
  readonly version: string
}

/** A template that is being made, by the process that holds its lock. */
export interface TemplateDraft extends TemplateFiles {
  readonly lock: AsyncDisposable
}

const noteOf = (folder: string) => join(folder, 'template.json')
const lockOf = (part: string) => `${part}.lock`

const filesIn = (folder: string): TemplateFiles => ({
  folder,
  memory: join(folder, 'memory'),
  state: join(folder, 'state'),
  disk: join(folder, 'disk.raw'),
})

/** Templates on disk, each a folder with its key as the name. */
export class TemplateStore {
  readonly #folder: string

  constructor({ templatesDir }: Pick<QemuSettings, 'templatesDir'>) {
    this.#folder = templatesDir
  }

  /** Undefined if there is none, or one that does not have the sizes it was stored with. */
  async find(key: string): Promise<StoredTemplate | undefined> {
    const files = filesIn(join(this.#folder, key))
    if (!existsSync(files.folder)) return undefined
    if (await isWhole(files)) {
      const now = new Date()
      await utimes(files.folder, now, now).catch(() => {})
      const { ino, mtimeMs } = await stat(noteOf(files.folder))
      return { ...files, version: `${ino}-${Math.round(mtimeMs)}` }
    }
    await this.remove(key)
    return undefined
  }

  /** An empty folder for a template that is being made. */
  async begin(key: string): Promise<TemplateDraft> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    const folder = join(this.#folder, `${key}.${randomUUID()}.part`)
    const lock = await takeLock(lockOf(folder))
    if (!lock) throw new Error(`${lockOf(folder)} is locked, although it is new`)
    await mkdir(folder, { mode: 0o700 })
    return { ...filesIn(folder), lock }
  }

  async complete(key: string, draft: TemplateDraft, spec: TemplateSpec): Promise<void> {
    const { folder, memory, state, disk } = draft
    await writeFile(noteOf(folder), JSON.stringify({ spec, sizes: await sizesOf(draft) }))
    // A host that loses its power must not keep the names without the content: memory of the right size may still have holes.
    for (const path of [memory, state, disk, noteOf(folder), folder]) await flush(path)
    // Another engine may have made the same one meanwhile.
    await rename(folder, join(this.#folder, key)).catch(async error => {
      if (!(await this.find(key))) throw error
    })
    await this.abandon(draft)
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.#folder, key), { recursive: true, force: true })
  }

  async abandon({ folder, lock }: TemplateDraft): Promise<void> {
    await rm(folder, { recursive: true, force: true })
    await rm(lockOf(folder), { force: true })
    await lock[Symbol.asyncDispose]()
  }

  /** Removes templates that nobody needs any more, and what builders left that have ended. */
  async removeUnused(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
      const lastsMs = isKey(name) ? unusedMs : day
      if (Date.now() - mtimeMs > lastsMs) await rm(path, { recursive: true, force: true })
    }
    await this.removeAbandoned()
  }

  /** Removes what builders left that have ended. Engines with the same images may be building others. */
  async removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const folder = join(this.#folder, name)
      if (!name.endsWith('.part') || !existsSync(lockOf(folder))) continue
      const lock = await takeLock(lockOf(folder))
      if (lock) await this.abandon({ ...filesIn(folder), lock })
    }
  }

  async list(): Promise<{ readonly key: string; readonly template: MemoryTemplate }[]> {
    const found: { key: string; template: MemoryTemplate }[] = []
    for (const key of await this.keys()) {
      const files = filesIn(join(this.#folder, key))
      const spec = (await readNote(files))?.spec
      const { blocks } = await stat(files.memory).catch(() => ({ blocks: 0 }))
      if (spec) found.push({ key, template: { ...spec, sizeMiB: Math.ceil((blocks * 512) / MiB) } })
    }
    return found
  }

  async keys(): Promise<string[]> {
    const names = await readdir(this.#folder).catch(() => [])
    return names.filter(isKey)
  }
}

const isKey = (name: string) => /^[0-9a-f]+$/.test(name)

async function flush(path: string): Promise<void> {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

interface TemplateNote {
  readonly spec: TemplateSpec
  readonly sizes: readonly number[]
}

async function readNote({ folder }: TemplateFiles): Promise<TemplateNote | undefined> {
  try {
    const note = JSON.parse(await readFile(noteOf(folder), 'utf8')) as TemplateNote | null
    return note?.spec && Array.isArray(note.sizes) ? note : undefined
  } catch {
    return undefined
  }
}

async function sizesOf({ memory, state, disk }: TemplateFiles): Promise<number[]> {
  return await Promise.all([memory, state, disk].map(async path => (await stat(path)).size))
}

/** Somebody may have copied it in part. */
async function isWhole(files: TemplateFiles): Promise<boolean> {
  const note = await readNote(files)
  const sizes = await sizesOf(files).catch(() => undefined)
  return note !== undefined && sizes !== undefined && sizes.join() === note.sizes.join()
}
