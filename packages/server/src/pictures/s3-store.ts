import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { Bucket } from './bucket.ts'
import { mediaTypes } from './format.ts'
import { type PictureId, parsePictureId } from './picture-id.ts'
import { nameText, type PictureName, parseName } from './picture-name.ts'
import type { PictureStore, StoredPicture } from './store.ts'

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
 *   screenshots/objects/<day>/<name>   each picture, stored once for all ids that expire on that day (UTC)
 *   screenshots/links/<id>             contains the name of the picture
 *
 * A bucket does not count links. The pictures of a day are therefore deleted when the day is over: no id can be
 * linked to them any more, and all of their ids have expired. Both kinds of keys sort by time, so that a sweep reads
 * only what it deletes.
 */
export class S3Store implements PictureStore {
  readonly #bucket: Bucket

  constructor(bucket: Bucket) {
    this.#bucket = bucket
  }

  async link(id: PictureId, name: PictureName): Promise<boolean> {
    if (!(await this.#bucket.has(objectKey(id, name)))) return false
    await this.#link(id, name)
    return true
  }

  async put(id: PictureId, name: PictureName, body: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#bucket.put(objectKey(id, name), body, mediaTypes[name.remade ?? name.format])
    await this.#link(id, name)
  }

  async find(id: PictureId): Promise<PictureName | undefined> {
    const answer = await this.#bucket.get(links + id.text)
    return answer && parseName(await answer.text())
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
    await this.#deleteWhile(links, rest => {
      const id = parsePictureId(rest)
      return id !== undefined && id.expiresAt <= now
    })
    const today = Math.floor((now - clockToleranceMs) / dayMs)
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

  /** A converted picture needs no link, because it is found by the name of its original. */
  async #link(id: PictureId, name: PictureName): Promise<void> {
    if (!name.remade) await this.#bucket.put(links + id.text, Buffer.from(nameText(name)), 'text/plain')
  }
}

/** The number of the day has five digits until the year 2243, so keys sort by it. */
function objectKey({ expiresAt }: PictureId, name: PictureName): string {
  return `${objects}${Math.floor(expiresAt / dayMs)}/${nameText(name)}`
}
