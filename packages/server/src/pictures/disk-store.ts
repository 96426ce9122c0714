import { randomUUID } from 'node:crypto'
import {
  link,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isTakenBy } from '../placement/node-tag.ts'
import { type PictureId, parsePictureId } from './picture-id.ts'
import { nameText, type PictureName } from './picture-name.ts'
import { ownedText, type PictureOwner, parseOwned } from './picture-owner.ts'
import type { LinkedPicture, PictureStore, StoredPicture } from './store.ts'

const hourMs = 3_600_000

/** Space for some pictures and their metadata. */
const minFreeBytes = 8 * 1024 * 1024
const minFreeFiles = 64

/**
 * Stores pictures as files:
 *
 *   objects/ab/<name>            each picture, stored once
 *   links/<hour>/<id>/<name>     hard links to pictures, grouped by the hour in which they expire; the name of the
 *                                picture comes after that of its owner
 *   new/                         files that are being written
 *
 * A picture is needed as long as its file has a hard link besides the one in objects/. A new picture gets its link in
 * links/ first, so that after any crash or interrupted sweep each link leads to a complete picture. Files are not
 * synced: a killed service loses nothing, but a power cut may lose the last seconds.
 */
export class DiskStore implements PictureStore {
  readonly #root: string

  private constructor(root: string) {
    this.#root = root
  }

  /** Only one process may use the folder at a time. */
  static async open(root: string): Promise<DiskStore> {
    await rm(join(root, 'new'), { recursive: true, force: true })
    for (const folder of ['objects', 'links', 'new'])
      await mkdir(join(root, folder), { recursive: true, mode: 0o700 })
    return new DiskStore(root)
  }

  async link(id: PictureId, name: PictureName, owner?: PictureOwner): Promise<boolean> {
    try {
      await this.#link(this.#object(name), id, name, owner)
      return true
    } catch (error) {
      // File systems limit the links per file (ext4: 65,000). The next picture is then stored as a new file in its
      // place.
      if (isCode(error, 'ENOENT') || isCode(error, 'EMLINK')) return false
      throw error
    }
  }

  async put(
    id: PictureId,
    name: PictureName,
    body: Uint8Array<ArrayBuffer>,
    owner?: PictureOwner,
  ): Promise<void> {
    const temporary = join(this.#root, 'new', randomUUID())
    try {
      await writeFile(temporary, body, { mode: 0o600 })
      await this.#link(temporary, id, name, owner)
      const object = this.#object(name)
      await mkdir(dirname(object), { recursive: true, mode: 0o700 })
      await rename(temporary, object)
    } catch (error) {
      // If the disk is full, a partly written file must not keep it full.
      await rm(temporary, { force: true })
      throw error
    }
  }

  async find(id: PictureId): Promise<PictureName | undefined> {
    const links = await entries(this.#folder(id))
    return links.map(text => parseOwned(text)?.name).find(name => name && !name.remade)
  }

  async open(id: PictureId, name: PictureName): Promise<StoredPicture | undefined> {
    const folder = this.#folder(id)
    const wanted = nameText(name)
    const link = (await entries(folder)).find(text => text.endsWith(wanted))
    const file = link === undefined ? undefined : await open(join(folder, link)).catch(absent)
    if (!file) return undefined
    const { size } = await file.stat()
    if (size > 0) return { size, body: file.createReadStream() }
    await file.close()
    return undefined
  }

  async delete(id: PictureId): Promise<void> {
    const folder = this.#folder(id)
    const names = (await entries(folder)).flatMap(text => parseOwned(text)?.name ?? [])
    await rm(folder, { recursive: true, force: true })
    // A link that is created meanwhile leads to the file itself, which then exists without its entry in objects/.
    for (const name of names) await sweepObject(this.#object(name))
  }

  async *linked(node: string): AsyncGenerator<LinkedPicture> {
    const hours = (await entries(join(this.#root, 'links'))).toSorted((a, b) => Number(a) - Number(b))
    for (const hour of hours)
      for (const text of (await entries(join(this.#root, 'links', hour))).toSorted()) {
        const id = parsePictureId(text)
        if (!id || !isTakenBy(id, node)) continue
        const folder = this.#folder(id)
        for (const link of await entries(folder)) {
          const parsed = parseOwned(link)
          const found = parsed && (await stat(join(folder, link)).catch(absent))
          if (found) yield { ...parsed, id, bytes: found.size }
        }
      }
  }

  async hasSpace(): Promise<boolean> {
    const { bavail, bsize, files, ffree } = await statfs(this.#root)
    // A file system that creates inodes on demand reports a total of 0.
    const hasFiles = files === 0 || ffree >= minFreeFiles
    return bavail * bsize >= minFreeBytes && hasFiles
  }

  async sweep(now: number): Promise<void> {
    const current = Math.floor(now / hourMs)
    for (const hour of await entries(join(this.#root, 'links'))) {
      if (Number(hour) > current) continue
      await this.#sweepHour(join(this.#root, 'links', hour), now)
    }
    for (const shard of await entries(join(this.#root, 'objects')))
      await sweepObjects(join(this.#root, 'objects', shard))
  }

  async #sweepHour(folder: string, now: number): Promise<void> {
    for (const text of await entries(folder)) {
      const id = parsePictureId(text)
      if (id && id.expiresAt <= now) await rm(join(folder, text), { recursive: true, force: true })
    }
    // This fails, and the folder stays, if a link of this hour is still valid or is being created.
    await rmdir(folder).catch(() => {})
  }

  async #link(
    file: string,
    id: PictureId,
    name: PictureName,
    owner: PictureOwner | undefined,
  ): Promise<void> {
    const folder = this.#folder(id)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await link(file, join(folder, ownedText({ name, owner }))).catch(error => {
      if (!isCode(error, 'EEXIST')) throw error
    })
  }

  #folder({ text, expiresAt }: PictureId): string {
    return join(this.#root, 'links', String(Math.floor(expiresAt / hourMs)), text)
  }

  #object(name: PictureName): string {
    return join(this.#root, 'objects', name.hash.slice(0, 2), nameText(name))
  }
}

async function sweepObjects(folder: string): Promise<void> {
  for (const name of await entries(folder)) await sweepObject(join(folder, name))
}

/** Deletes a picture that no id is linked to, or that a power cut left empty. It may be deleted already. */
async function sweepObject(file: string): Promise<void> {
  const found = await stat(file).catch(absent)
  if (found && (found.nlink === 1 || found.size === 0)) await unlink(file).catch(absent)
}

function entries(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(error => absent(error) ?? [])
}

function absent(error: unknown): undefined {
  if (!isCode(error, 'ENOENT')) throw error
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
