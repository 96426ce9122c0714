import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { KeyedMutex } from '@sandglass/supervision'
import { mediaTypes } from '@sandglass/workers/contract'
import type { Bucket } from '../bucket.ts'
import { isTakenBy } from '../placement/node-tag.ts'
import { type PictureId, parsePictureId } from './picture-id.ts'
import { nameText, type PictureName } from './picture-name.ts'
import { type OwnedName, ownedText, type PictureOwner, parseOwned } from './picture-owner.ts'
import type { LinkedPicture, PictureStore, StoredPicture } from './store.ts'

const dayMs = 86_400_000
/** The clocks of several processes may differ by this much. */
const clockToleranceMs = 3_600_000
/** The number of keys that are deleted concurrently. */
const maxConcurrent = 16

const links = 'screenshots/links/'
const objects = 'screenshots/objects/'

/**
 * Stores pictures in a bucket, which every process that uses it can read:
 *
 *   screenshots/objects/<day>/<node>/<name>   each picture of a node, stored once for all ids that expire on that day (UTC)
 *   screenshots/links/<id>/<bytes>.<name>     the name of the picture, after that of its owner; the object is empty
 *
 * A bucket does not count links, so the node that took the pictures does. What nobody deleted until the day was over is
 * deleted then: no id can be linked to it any more, and all of its ids have expired. Both kinds of keys sort by time, so
 * that a sweep reads only what it deletes.
 */
export class S3Store implements PictureStore {
  readonly #bucket: Bucket
  /** The ids that are linked to each object, as far as this process knows. */
  readonly #linkedIds = new Map<string, Set<string>>()
  /** An object must not be deleted while another id is being linked to it. */
  readonly #mutex = new KeyedMutex()

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  link(id: PictureId, name: PictureName, owner?: PictureOwner): Promise<boolean> {
    const key = objectKey(id, name)
    return this.#mutex.run(key, async () => {
      const bytes = await this.#bucket.sizeOf(key)
      if (bytes === undefined) return false
      await this.#link(id, { name, owner }, bytes)
      return true
    })
  }

  put(id: PictureId, name: PictureName, body: Uint8Array<ArrayBuffer>, owner?: PictureOwner): Promise<void> {
    const key = objectKey(id, name)
    return this.#mutex.run(key, async () => {
      await this.#bucket.put(key, body, mediaTypes[name.remade ?? name.format])
      await this.#link(id, { name, owner }, body.byteLength)
    })
  }

  async find(id: PictureId): Promise<PictureName | undefined> {
    for await (const key of this.#bucket.list(links + id.text)) {
      const linked = parseLink(key)
      if (linked && !linked.name.remade) return linked.name
    }
    return undefined
  }

  async delete(id: PictureId): Promise<void> {
    for await (const key of this.#bucket.list(links + id.text)) {
      await this.#bucket.delete(key)
      const linked = parseLink(key)
      if (linked) await this.#unlink(id, objectKey(id, linked.name))
    }
  }

  async #unlink(id: PictureId, key: string): Promise<void> {
    await this.#mutex.run(key, async () => {
      const ids = this.#linkedIds.get(key)
      ids?.delete(id.text)
      if (ids && ids.size > 0) return
      this.#linkedIds.delete(key)
      await this.#bucket.delete(key)
    })
  }

  async *linked(node: string): AsyncGenerator<LinkedPicture> {
    for await (const key of this.#bucket.list(links)) {
      const linked = parseLink(key)
      if (!linked || !isTakenBy(linked.id, node)) continue
      this.#remember(linked.id, linked.name)
      yield linked
    }
  }

  async open(id: PictureId, name: PictureName): Promise<StoredPicture | undefined> {
    const answer = await this.#bucket.get(objectKey(id, name))
    if (!answer?.body) return undefined
    const size = Number(answer.headers.get('content-length'))
    return { size, body: Readable.fromWeb(answer.body as ReadableStream) }
  }

  /** A bucket does not report its free space. */
  async hasSpace(): Promise<boolean> {
    return true
  }

  async sweep(now: number): Promise<void> {
    const today = Math.floor((now - clockToleranceMs) / dayMs)
    await this.#deleteWhile(links, rest => {
      const id = parsePictureId(rest.split('/')[0] ?? '')
      return id !== undefined && id.expiresAt <= now
    })
    for (const key of this.#linkedIds.keys()) if (dayOf(key) < today) this.#linkedIds.delete(key)
    await this.#deleteWhile(objects, rest => Number.parseInt(rest, 10) < today)
  }

  /** Deletes the keys with a prefix in order, until one is not old. */
  async #deleteWhile(prefix: string, isOld: (rest: string) => boolean): Promise<void> {
    let expired: string[] = []
    const deleteAll = async () => {
      await Promise.all(expired.map(key => this.#bucket.delete(key)))
      expired = []
    }
    for await (const key of this.#bucket.list(prefix)) {
      if (!isOld(key.slice(prefix.length))) break
      expired.push(key)
      if (expired.length === maxConcurrent) await deleteAll()
    }
    await deleteAll()
  }

  async #link(id: PictureId, picture: OwnedName, bytes: number): Promise<void> {
    this.#remember(id, picture.name)
    await this.#bucket.put(`${links}${id.text}/${bytes}.${ownedText(picture)}`, Buffer.of(), 'text/plain')
  }

  #remember(id: PictureId, name: PictureName): void {
    const key = objectKey(id, name)
    const ids = this.#linkedIds.get(key) ?? new Set()
    this.#linkedIds.set(key, ids.add(id.text))
  }
}

/** Keys sort by the day, because its number has five digits until the year 2243. */
function objectKey({ expiresAt, node }: PictureId, name: PictureName): string {
  return `${objects}${Math.floor(expiresAt / dayMs)}/${node}/${nameText(name)}`
}

const dayOf = (key: string) => Number.parseInt(key.slice(objects.length), 10)

function parseLink(key: string): LinkedPicture | undefined {
  const [text = '', rest = ''] = key.slice(links.length).split('/')
  const dot = rest.indexOf('.')
  const id = parsePictureId(text)
  const owned = parseOwned(rest.slice(dot + 1))
  return id && owned && { ...owned, id, bytes: Number(rest.slice(0, dot)) }
}
