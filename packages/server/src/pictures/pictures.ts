import { buffer } from 'node:stream/consumers'
import { ApiError } from '@sandglass/protocol'
import {
  type Capture,
  type EncodedPicture,
  mediaTypes,
  type PictureFormat,
} from '@sandglass/workers/contract'
import { isTakenBy, nodeTag } from '../placement/node-tag.ts'
import { Backlog } from './backlog.ts'
import { FreshPictures } from './fresh-pictures.ts'
import { type PendingPicture, PendingPictures } from './pending-pictures.ts'
import type { OpenPicture, Picture, PictureOptions } from './picture.ts'
import { failureOf } from './picture-failure.ts'
import { newPictureId, type PictureId, parsePictureId } from './picture-id.ts'
import { PictureLedger } from './picture-ledger.ts'
import type { PictureName } from './picture-name.ts'
import type { PictureOwner } from './picture-owner.ts'
import type { PicturesParts } from './pictures-parts.ts'
import { Postponed } from './postponed.ts'
import { Remakes } from './remakes.ts'
import { isOutOfSpace, outOfSpace, StorageState } from './storage-state.ts'
import type { PictureStore } from './store.ts'
import { WaitingLog, type WaitingPicture } from './waiting-log.ts'
import { WaitingPictures } from './waiting-pictures.ts'

export type { Picture } from './picture.ts'

/** About seventy frames of 1280x720. */
const maxPendingBytes = 256 * 1024 * 1024
/** What a picture counts that was not encoded yet: the size of a drawn screen, roughly. */
const waitingBytes = 128 * 1024

/** Turns captures of screens into pictures that can be fetched. */
export class Pictures {
  /** The tag of this node, which is part of the ids of its pictures. */
  readonly tag: string
  readonly now: () => number
  readonly #parts: PicturesParts
  readonly #store: PictureStore
  readonly #storage: StorageState
  readonly #remakes: Remakes
  readonly #ledger: PictureLedger
  /** Settles when the pictures from before the start are counted. Nothing is evicted before that. */
  readonly #loaded: Promise<void>
  readonly #backlog = new Backlog(maxPendingBytes)
  readonly #postponed = new Postponed()
  readonly #pending = new PendingPictures((id, error) => this.#failed(id, error))
  readonly #waiting: WaitingPictures
  #isClosing = false
  readonly #fresh = new FreshPictures()

  constructor(parts: PicturesParts) {
    const { store, nodeId, limits, metrics, converter, log, now = Date.now } = parts
    this.#parts = parts
    this.tag = nodeTag(nodeId)
    this.now = now
    this.#store = store
    this.#storage = new StorageState(store)
    this.#remakes = new Remakes(store, converter, metrics)
    this.#ledger = new PictureLedger(limits)
    metrics.watchStored(() => this.#ledger.bytes, limits.nodeBytes)
    const waitingLog = new WaitingLog(parts.waitingPath)
    this.#waiting = new WaitingPictures(waitingLog, converter, parts.waiting)
    this.#loaded = this.#load(waitingLog.waiting).catch(error =>
      log.warn({ error }, 'old screenshots could not be counted'),
    )
  }

  /**
   * Await this before capturing a frame. It resolves at once, unless too many pictures are pending, of all or of this
   * organization.
   */
  async ready(orgId?: string): Promise<void> {
    await Promise.all([this.#backlog.waitForCapacity(orgId), this.#storage.refresh()])
  }

  /**
   * Returns at once. The picture is encoded and stored afterwards: soon if its frame is in memory, and when there is a reason
   * if it waits in a file.
   */
  keep(capture: Capture, options: PictureOptions): Picture {
    const { lifeMs } = this.#parts
    const { format, owner } = options
    const id = newPictureId(this.now() + lifeMs, this.tag)
    const picture = capture.raw && { id, owner, raw: capture.raw }
    const start = picture && this.#waiting.add(picture)
    const { stored } =
      picture && start
        ? this.#wait(picture, start)
        : this.#pending.add(id, {
            fetch: () => {
              capture.prioritize()
              this.#postponed.release(id.text)
            },
            develop: onEncoded =>
              this.#backlog.during(
                capture.frameBytes,
                () =>
                  this.#develop(id, { ...options, encode: () => this.#encodeSoon(id, capture) }, onEncoded),
                owner?.orgId,
              ),
          })
    const file = `${id.text}.${format}`
    const problem = () => this.#problemOf(id)
    const isEvicted = () => !this.#isHere(id)
    return {
      get isEvicted() {
        return isEvicted()
      },
      get problem() {
        return problem()
      },
      file,
      url: this.#urlOf(file),
      stored,
      bytes: async () => {
        const taken = await this.find(id)
        const picture = taken && (await this.open(id, taken, taken.format))
        if (!picture) throw new ApiError('screenshot.NOT_FOUND')
        const { body } = picture
        return {
          type: mediaTypes[format],
          body: Buffer.isBuffer(body) ? body : await buffer(body),
        }
      },
    }
  }

  /**
   * Returns the URL of a picture that was taken earlier, by its file. Returns undefined if it is not kept any more, as far as this node
   * knows: it does not know what other nodes have evicted.
   */
  async keptUrl(file: string): Promise<string | undefined> {
    const id = parsePictureId(file.slice(0, file.lastIndexOf('.')))
    if (!id || id.expiresAt <= this.now()) return undefined
    await this.#loaded
    return !isTakenBy(id, this.tag) || this.#isHere(id) ? this.#urlOf(file) : undefined
  }

  /** Returns the picture with this id, once it has been encoded. */
  async find(id: PictureId): Promise<PictureName | undefined> {
    const pending = this.#pending.get(id)
    if (pending && !pending.isEncoded) pending.fetch()
    await pending?.encoded
    if (id.expiresAt <= this.now()) return undefined
    const fresh = this.#fresh.get(id.text)
    if (fresh) return fresh.name
    await pending?.stored.catch(() => {})
    const cause = this.#pending.failureOf(id)
    if (cause) throw failureOf(cause)
    return this.#store.find(id)
  }

  /** Opens a picture in the given format, and converts it first if that is not the format in which it was taken. */
  async open(id: PictureId, taken: PictureName, format: PictureFormat): Promise<OpenPicture | undefined> {
    const body = format === taken.format ? this.#fresh.get(id.text)?.body : undefined
    if (body) return { size: body.length, body }
    // Newer pictures may have evicted it from memory before it was stored.
    await this.#pending.stored(id)
    if (format === taken.format) return this.#store.open(id, taken)
    const remade = { ...taken, remade: format }
    const known = await this.#store.open(id, remade)
    if (known) return known
    const owner = this.#ledger.ownerOf(id.text)
    await this.#remakes.make(id, taken, format, owner).catch(error => {
      throw isOutOfSpace(error) ? outOfSpace(error) : error
    })
    const made = await this.#store.open(id, remade)
    if (made && this.#ledger.has(id.text)) await this.#count(id, owner, made.size)
    return made
  }

  /** Deletes expired pictures. */
  async sweep(): Promise<void> {
    const now = this.now()
    this.#ledger.expire(now)
    this.#waiting.expire(now)
    await this.#store.sweep(now)
    await this.#parts.converter.keepFiles(this.#waiting.files)
  }

  /** The sandboxes that have pictures here. */
  async sandboxIds(): Promise<readonly string[]> {
    await this.#loaded
    return this.#ledger.sandboxIds
  }

  /** Deletes all pictures of a sandbox. */
  async deleteSandbox(sandboxId: string): Promise<void> {
    await this.#loaded
    for (const id of this.#ledger.ofSandbox(sandboxId)) {
      this.#ledger.remove(id)
      await this.#delete(id)
    }
  }

  /** Finishes the pictures that are pending. Those that wait in files stay there until after the next start. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#waiting.stop()
    this.#postponed.releaseAll()
    await this.#pending.allStored()
    this.#waiting.close()
  }

  async #load(waiting: readonly WaitingPicture[]): Promise<void> {
    for (const picture of waiting) this.#wait(picture, this.#waiting.resume(picture))
    for await (const { id, owner, bytes } of this.#store.linked(this.tag))
      for (const old of this.#ledger.add(id, owner, bytes)) await this.#delete(old)
    await this.#parts.converter.keepFiles(this.#waiting.files)
  }

  /** Encodes and stores a picture that waits in a file, when it is started. */
  #wait(picture: WaitingPicture, start: Promise<boolean>): PendingPicture {
    const { id, owner, raw } = picture
    void this.#count(id, owner, waitingBytes)
    return this.#pending.add(id, {
      fetch: () => this.#waiting.fetch(id),
      develop: async onEncoded => {
        if (!(await start)) return
        const development: Development = {
          format: raw.frame.format,
          owner,
          encode: () => this.#waiting.encode(picture),
          countedBytes: waitingBytes,
          isNeeded: () => this.#waiting.has(id),
        }
        try {
          await this.#develop(id, development, onEncoded)
        } catch (error) {
          // What failed because the service ends is tried again after the next start.
          if (this.#isClosing) return
          this.#waiting.done(id)
          throw error
        }
        this.#waiting.done(id)
      },
    })
  }

  async #encodeSoon(id: PictureId, capture: Capture): Promise<EncodedPicture> {
    await this.#postponed.until(id.text)
    return capture.encode()
  }

  /** Counts what was stored, and deletes the pictures that have to make space for it. */
  async #count(id: PictureId, owner: PictureOwner | undefined, bytes: number): Promise<void> {
    await this.#loaded
    for (const old of this.#ledger.add(id, owner, bytes)) await this.#delete(old)
  }

  /** What cannot be deleted now is deleted when it expires. */
  async #delete(id: PictureId): Promise<void> {
    this.#fresh.delete(id.text)
    this.#waiting.done(id)
    await this.#store
      .delete(id)
      .catch(error => this.#parts.log.warn({ error }, 'an old screenshot could not be deleted'))
  }

  #urlOf(file: string): string {
    return `${this.#parts.publicUrl()}/screenshots/${file}`
  }

  #isHere(id: PictureId): boolean {
    return this.#pending.has(id) || this.#ledger.has(id.text)
  }

  #problemOf(id: PictureId): ApiError | undefined {
    const cause = this.#pending.failureOf(id)
    if (cause) return failureOf(cause)
    return this.#pending.has(id) && this.#storage.isShort ? outOfSpace() : undefined
  }

  #failed(id: PictureId, error: unknown): void {
    this.#parts.log.warn({ error }, 'a picture could not be stored')
    // A picture that could not be stored for lack of space can still be fetched while it is in memory.
    if (!isOutOfSpace(error)) this.#fresh.delete(id.text)
  }

  async #develop(id: PictureId, development: Development, onEncoded: () => void): Promise<void> {
    const { format, owner, encode, countedBytes = 0, isNeeded = () => true } = development
    const { metrics } = this.#parts
    const start = performance.now()
    const seconds = () => (performance.now() - start) / 1000
    metrics.began()
    try {
      const encoded = await encode()
      metrics.encoded(format, encoded)
      const name = { hash: encoded.hash, format }
      const { buffer: memory, byteOffset, byteLength } = encoded.body
      if (!isNeeded()) return metrics.ended('unneeded', seconds())
      this.#fresh.add(id.text, { name, body: Buffer.from(memory, byteOffset, byteLength) })
      onEncoded()
      const isStored = await this.#store.link(id, name, owner)
      if (!isStored) await this.#store.put(id, name, encoded.body, owner)
      await this.#count(id, owner, encoded.body.byteLength - countedBytes)
      this.#storage.stored()
      metrics.ended(isStored ? 'same' : 'stored', seconds())
    } catch (error) {
      this.#storage.failed(error)
      metrics.ended('failed', seconds())
      throw error
    }
  }
}

/** A picture that is to be encoded and stored. */
interface Development extends PictureOptions {
  readonly encode: () => Promise<EncodedPicture>
  /** What was counted for it already. */
  readonly countedBytes?: number
  readonly isNeeded?: () => boolean
}
