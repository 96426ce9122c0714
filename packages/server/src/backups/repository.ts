import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import type { Sealing } from './backup-key.ts'
import { inOrder } from './in-order.ts'
import { type Content, chunkBytes, contentsOf, Manifest } from './manifest.ts'
import type { BackupStorage } from './storage/storage.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const markerName = 'sandglass-backups.json'
const Marker = z.object({
  format: z.literal(1),
  installation: z.string(),
  /** Recognises the key with which the backups are encrypted; null if they are not. */
  key: z.string().nullable(),
})
type Marker = z.infer<typeof Marker>

/** What the names consist of, since a storage may list other things too, or lie. */
const idPattern = /^\d{8}T\d{6}-\d{3}Z-[0-9a-f]{6}$/
const chunkPattern = /^[0-9a-f]{64}$/

/** Backups cannot be made or read. The message is a sentence that says why. */
export class BackupError extends Error {
  override readonly name = 'BackupError'
}

/** Another process is making a backup at the moment. */
export class BackupBusyError extends BackupError {
  constructor() {
    super('Another process is making a backup of this database; try again when it is done.')
  }
}

/**
 * The backups of one installation in a storage:
 *
 *   sandglass-backups.json   whose they are, and by which check the key is recognised
 *   chunks/ab/<name>         content, compressed and sealed, named for what it contains, so that it is stored once
 *   backups/<id>             the manifest of each backup, of which the ids sort by time
 */
export class Repository {
  readonly #storage: BackupStorage
  readonly #sealing: Sealing
  readonly #marker: Marker
  /** The chunks that are known to be there. */
  #stored: Promise<Set<string>> | undefined
  /** The chunks that are being stored. */
  readonly #storing = new Map<string, Promise<void>>()

  private constructor(storage: BackupStorage, sealing: Sealing, marker: Marker) {
    this.#storage = storage
    this.#sealing = sealing
    this.#marker = marker
  }

  get shown(): string {
    return this.#storage.shown
  }

  /** Opens the backups that are there. Throws if there are none, or if they need another key. */
  static async open(storage: BackupStorage, sealing: Sealing): Promise<Repository> {
    const marker = await readMarker(storage)
    if (!marker) throw new BackupError(`There are no backups in ${storage.shown}.`)
    requireKey(storage, sealing, marker)
    return new Repository(storage, sealing, marker)
  }

  /** Opens the backups of an installation, to which another one is about to be added. */
  static async openFor(storage: BackupStorage, sealing: Sealing, installation: string): Promise<Repository> {
    const found = await readMarker(storage)
    const marker = found ?? { format: 1, installation, key: sealing.check }
    requireKey(storage, sealing, marker)
    if (marker.installation !== installation)
      throw new BackupError(
        `${storage.shown} has the backups of another installation (${marker.installation}); use another folder or prefix for this one (${installation}).`,
      )
    if (!found) await storage.put(markerName, Buffer.from(`${JSON.stringify(marker, null, 2)}\n`))
    return new Repository(storage, sealing, marker)
  }

  get installation(): string {
    return this.#marker.installation
  }

  /** The ids of the complete backups, oldest first. */
  async ids(): Promise<string[]> {
    // A storage may list a name twice, and a backup that is counted twice would push out another one.
    const ids = new Set<string>()
    for await (const name of this.#storage.list('backups/')) {
      const id = name.slice('backups/'.length)
      if (!idPattern.test(id))
        throw new BackupError(
          `${this.shown} lists ${JSON.stringify(name)}, which is not the name of a backup. Remove it if you have put it there, or name a backup with --id.`,
        )
      ids.add(id)
    }
    return [...ids].sort()
  }

  async newest(): Promise<string> {
    const newest = (await this.ids()).at(-1)
    if (newest === undefined) throw new BackupError(`There is no complete backup in ${this.shown}.`)
    return newest
  }

  async manifest(id: string): Promise<Manifest> {
    const name = `backups/${id}`
    const sealed = await this.#storage.get(name)
    if (!sealed) throw new BackupError(`There is no backup ${id} in ${this.shown}.`)
    const text = await this.#unsealed(name, sealed)
    const manifest = text && parseManifest(text)
    // Without a key, one backup could be in the place of another.
    if (manifest?.id !== id) throw new BackupError(`The backup ${id} in ${this.shown} is damaged.`)
    return manifest
  }

  /** Makes a backup exist of which everything has been stored. */
  async commit(manifest: Manifest): Promise<void> {
    const name = `backups/${manifest.id}`
    const content = await compress(Buffer.from(JSON.stringify(manifest)))
    await this.#storage.put(name, await this.#sealing.seal(name, content))
  }

  /** Stores content, except for chunks that an earlier backup has too. */
  async store(source: AsyncIterable<Uint8Array>): Promise<Content> {
    const chunks: string[] = []
    let bytes = 0
    const storing = inOrder(inChunks(source), async chunk => {
      bytes += chunk.length
      return await this.#storeChunk(chunk)
    })
    for await (const name of storing) chunks.push(name)
    return { bytes, chunks }
  }

  async #storeChunk(chunk: Buffer): Promise<string> {
    const name = await this.#sealing.nameOf(chunk)
    const stored = await this.#chunks()
    if (stored.has(name)) return name
    // Chunks are stored several at a time, and many are the same.
    const storing = this.#storing.get(name) ?? this.#putChunk(name, chunk)
    this.#storing.set(name, storing)
    try {
      await storing
      stored.add(name)
    } finally {
      this.#storing.delete(name)
    }
    return name
  }

  async #putChunk(name: string, chunk: Buffer): Promise<void> {
    const path = pathOf(name)
    await this.#storage.put(path, await this.#sealing.seal(path, await compress(chunk)))
  }

  /** Whether everything of a content is there, so that it need not be read again. */
  async has({ chunks }: Content): Promise<boolean> {
    const stored = await this.#chunks()
    return chunks.every(name => stored.has(name))
  }

  /** Reads content in order, and throws if a part is missing or damaged. */
  async *read({ bytes, chunks }: Content): AsyncGenerator<Buffer> {
    let length = 0
    for await (const chunk of inOrder(chunks, name => this.#readChunk(name))) {
      length += chunk.length
      yield chunk
    }
    if (length !== bytes) throw new BackupError(`A part of the backup in ${this.shown} is damaged.`)
  }

  async #readChunk(name: string): Promise<Buffer> {
    const path = pathOf(name)
    const sealed = await this.#storage.get(path)
    if (!sealed) throw new BackupError(`The backup is incomplete: ${path} is missing in ${this.shown}.`)
    const chunk = await this.#unsealed(path, sealed)
    if (!chunk || (await this.#sealing.nameOf(chunk)) !== name)
      throw new BackupError(`The backup is damaged: ${path} in ${this.shown} was truncated or changed.`)
    return chunk
  }

  async #unsealed(name: string, sealed: Buffer): Promise<Buffer | undefined> {
    const content = await this.#sealing.open(name, sealed)
    return content && (await decompress(content).catch(() => undefined))
  }

  /** Reads everything of a backup once. */
  async verify(manifest: Manifest): Promise<void> {
    const names = new Set<string>()
    for (const { bytes, chunks } of contentsOf(manifest)) {
      if (chunks.length !== Math.ceil(bytes / chunkBytes))
        throw new BackupError(`The backup ${manifest.id} is damaged.`)
      for (const name of chunks) names.add(name)
    }
    for await (const _ of inOrder(names, name => this.#readChunk(name)));
  }

  /**
   * Deletes all backups but the newest, and then the chunks that no backup needs. Returns the ids of the deleted ones. A storage
   * that does not list the one that was just made may omit others too, whose chunks would seem to be needed by none.
   */
  async prune(keep: number, newest: string): Promise<string[]> {
    const ids = await this.ids()
    if (!ids.includes(newest))
      throw new BackupError(
        `The backup ${newest} was made, but ${this.shown} does not list it, so no other one was removed.`,
      )
    const old = keep < ids.length ? ids.slice(0, ids.length - keep) : []
    const needed = new Set<string>()
    for (const id of ids.slice(old.length))
      for (const { chunks } of contentsOf(await this.manifest(id)))
        for (const name of chunks) needed.add(name)
    // Their manifests go first, so that there is never a backup that is incomplete.
    for (const id of old) await this.#storage.delete(`backups/${id}`)
    this.#stored = undefined
    for (const name of await this.#chunks()) if (!needed.has(name)) await this.#storage.delete(pathOf(name))
    this.#stored = undefined
    return old
  }

  #chunks(): Promise<Set<string>> {
    this.#stored ??= this.#listChunks()
    return this.#stored
  }

  async #listChunks(): Promise<Set<string>> {
    const stored = new Set<string>()
    for await (const path of this.#storage.list('chunks/')) {
      const name = path.split('/').at(-1) ?? ''
      if (chunkPattern.test(name) && path === pathOf(name)) stored.add(name)
    }
    return stored
  }
}

const pathOf = (chunk: string): string => `chunks/${chunk.slice(0, 2)}/${chunk}`

async function readMarker(storage: BackupStorage): Promise<Marker | undefined> {
  const text = await storage.get(markerName)
  if (!text) return undefined
  try {
    return Marker.parse(JSON.parse(text.toString()))
  } catch (cause) {
    throw new BackupError(
      `${markerName} in ${storage.shown} is damaged, or was written by a newer version of the service.`,
      { cause },
    )
  }
}

function parseManifest(text: Buffer): Manifest | undefined {
  try {
    return Manifest.parse(JSON.parse(text.toString()))
  } catch {
    return undefined
  }
}

function requireKey({ shown }: BackupStorage, { check }: Sealing, { key }: Marker): void {
  if (check === key) return
  if (key === null)
    throw new BackupError(
      `The backups in ${shown} are not encrypted, but a key is set; use another folder or prefix, or remove the setting SANDGLASS_BACKUP_KEY_FILE.`,
    )
  throw new BackupError(
    check === null
      ? `The backups in ${shown} are encrypted; set SANDGLASS_BACKUP_KEY_FILE to the file with their key.`
      : `The backups in ${shown} are encrypted with another key than the one in SANDGLASS_BACKUP_KEY_FILE.`,
  )
}

/** Cuts a stream into chunks of the same size, whatever pieces it arrives in. */
async function* inChunks(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let chunk = Buffer.allocUnsafe(chunkBytes)
  let filled = 0
  for await (const piece of source) {
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(chunkBytes - filled, piece.length - at)
      chunk.set(piece.subarray(at, at + taken), filled)
      filled += taken
      at += taken
      if (filled < chunkBytes) continue
      yield chunk
      chunk = Buffer.allocUnsafe(chunkBytes)
      filled = 0
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled)
}
