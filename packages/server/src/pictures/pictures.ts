import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { MachineError } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import {
  type Capture,
  mediaTypes,
  type PictureConverter,
  type PictureFormat,
} from '@sandglass/workers/contract'
import type { Logger } from 'pino'
import { nodeTag } from '../placement/node-tag.ts'
import { Backlog } from './backlog.ts'
import { FreshPictures } from './fresh-pictures.ts'
import { newPictureId, type PictureId } from './picture-id.ts'
import { PictureLedger, type PictureLimits } from './picture-ledger.ts'
import type { PictureMetrics } from './picture-metrics.ts'
import type { PictureName } from './picture-name.ts'
import type { PictureOwner } from './picture-owner.ts'
import { Postponed } from './postponed.ts'
import { Remakes } from './remakes.ts'
import { isOutOfSpace, outOfSpace, StorageState } from './storage-state.ts'
import type { PictureStore } from './store.ts'

export interface PictureOptions {
  readonly format: PictureFormat
  /** Whose picture it is. */
  readonly owner?: PictureOwner | undefined
}

/** A picture that was taken. A plain GET of its URL fetches it. */
export interface Picture {
  readonly url: string
  /** The reason why the picture cannot be fetched by its URL, as far as is known now. */
  readonly problem: ApiError | undefined
  /** Whether the picture can no longer be fetched by its URL, because newer ones took its space. */
  readonly isEvicted: boolean
  /** Rejects if the picture cannot be encoded or stored. Callers may ignore it. */
  readonly stored: Promise<void>
  bytes(): Promise<{ readonly type: string; readonly body: Buffer }>
}

/** A picture that is being fetched. */
export interface OpenPicture {
  readonly size: number
  readonly body: Readable | Buffer
}

export interface PicturesParts {
  readonly store: PictureStore
  readonly nodeId: string
  readonly lifeMs: number
  readonly limits: PictureLimits
  readonly publicUrl: () => string
  readonly metrics: PictureMetrics
  /** Makes other formats of stored pictures. */
  readonly converter: PictureConverter
  readonly log: Logger
  readonly now?: () => number
}

/** About seventy frames of 1280x720. */
const maxPendingBytes = 256 * 1024 * 1024
const maxFailures = 1000

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
  readonly #pending = new Map<string, PendingPicture>()
  readonly #fresh = new FreshPictures()
  /** The errors of the most recent pictures that failed. */
  readonly #failed = new Map<string, unknown>()

  constructor(parts: PicturesParts) {
    const { store, nodeId, limits, metrics, converter, log, now = Date.now } = parts
    this.#parts = parts
    this.tag = nodeTag(nodeId)
    this.now = now
    this.#store = store
    this.#storage = new StorageState(store)
    this.#remakes = new Remakes(store, converter, metrics)
    this.#ledger = new PictureLedger(limits)
    this.#loaded = this.#load().catch(error => log.warn({ error }, 'old screenshots could not be counted'))
  }

  /**
   * Await this before capturing a frame. It resolves at once, unless too many pictures are pending, of all or of this
   * organization.
   */
  async ready(orgId?: string): Promise<void> {
    await Promise.all([this.#backlog.waitForCapacity(orgId), this.#storage.refresh()])
  }

  /**
   * Returns at once. The picture is encoded and stored afterwards.
   */
  keep(capture: Capture, options: PictureOptions): Picture {
    const { publicUrl, lifeMs, log } = this.#parts
    const id = newPictureId(this.now() + lifeMs, this.tag)
    const encoded = Promise.withResolvers<void>()
    const onEncoded = () => {
      pending.isEncoded = true
      encoded.resolve()
    }
    const stored = this.#backlog
      .during(capture.frameBytes, () => this.#develop(id, capture, options, onEncoded), options.owner?.orgId)
      .finally(() => {
        onEncoded()
        this.#pending.delete(id.text)
      })
    const pending: PendingPicture = { capture, encoded: encoded.promise, isEncoded: false, stored }
    stored.catch(error => {
      log.warn({ error }, 'a picture could not be stored')
      this.#remember(id, error)
    })
    this.#pending.set(id.text, pending)
    const problem = () => this.#problemOf(id)
    const isEvicted = () => !this.#pending.has(id.text) && !this.#ledger.has(id.text)
    return {
      get isEvicted() {
        return isEvicted()
      },
      get problem() {
        return problem()
      },
      url: `${publicUrl()}/screenshots/${id.text}.${options.format}`,
      stored,
      bytes: async () => {
        const taken = await this.find(id)
        const picture = taken && (await this.open(id, taken, taken.format))
        if (!picture) throw new ApiError('screenshot.NOT_FOUND')
        const { body } = picture
        return {
          type: mediaTypes[options.format],
          body: Buffer.isBuffer(body) ? body : await buffer(body),
        }
      },
    }
  }

  /** Returns the picture with this id, once it has been encoded. */
  async find(id: PictureId): Promise<PictureName | undefined> {
    const pending = this.#pending.get(id.text)
    if (pending && !pending.isEncoded) {
      pending.capture.prioritize()
      this.#postponed.release(id.text)
    }
    await pending?.encoded
    if (id.expiresAt <= this.now()) return undefined
    const fresh = this.#fresh.get(id.text)
    if (fresh) return fresh.name
    await pending?.stored.catch(() => {})
    const cause = this.#failed.get(id.text)
    if (cause) throw failureOf(cause)
    return this.#store.find(id)
  }

  /** Opens a picture in the given format, and converts it first if that is not the format in which it was taken. */
  async open(id: PictureId, taken: PictureName, format: PictureFormat): Promise<OpenPicture | undefined> {
    const body = format === taken.format ? this.#fresh.get(id.text)?.body : undefined
    if (body) return { size: body.length, body }
    // Newer pictures may have evicted it from memory before it was stored.
    await this.#pending.get(id.text)?.stored.catch(() => {})
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
    await this.#store.sweep(now)
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

  /** Finishes the pending pictures. */
  async close(): Promise<void> {
    this.#postponed.releaseAll()
    await Promise.allSettled([...this.#pending.values()].map(({ stored }) => stored))
  }

  async #load(): Promise<void> {
    for await (const { id, owner, bytes } of this.#store.linked(this.tag))
      for (const old of this.#ledger.add(id, owner, bytes)) await this.#delete(old)
  }

  /** Counts what was stored, and deletes the pictures that have to make space for it. */
  async #count(id: PictureId, owner: PictureOwner | undefined, bytes: number): Promise<void> {
    await this.#loaded
    for (const old of this.#ledger.add(id, owner, bytes)) await this.#delete(old)
  }

  /** What cannot be deleted now is deleted when it expires. */
  async #delete(id: PictureId): Promise<void> {
    this.#fresh.delete(id.text)
    await this.#store
      .delete(id)
      .catch(error => this.#parts.log.warn({ error }, 'an old screenshot could not be deleted'))
  }

  #problemOf({ text }: PictureId): ApiError | undefined {
    const cause = this.#failed.get(text)
    if (cause) return failureOf(cause)
    const isPending = this.#pending.has(text)
    return isPending && this.#storage.isShort ? outOfSpace() : undefined
  }

  #remember(id: PictureId, failure: unknown): void {
    // A picture that could not be stored for lack of space can still be fetched while it is in memory.
    if (!isOutOfSpace(failure)) this.#fresh.delete(id.text)
    this.#failed.set(id.text, failure)
    const [oldest] = this.#failed.keys()
    if (oldest && this.#failed.size > maxFailures) this.#failed.delete(oldest)
  }

  async #develop(
    id: PictureId,
    capture: Capture,
    { format, owner }: PictureOptions,
    onEncoded: () => void,
  ): Promise<void> {
    const { metrics } = this.#parts
    const start = performance.now()
    const seconds = () => (performance.now() - start) / 1000
    metrics.began()
    await this.#postponed.until(id.text)
    try {
      const encoded = await capture.encode()
      metrics.encoded(format, encoded)
      const name = { hash: encoded.hash, format }
      const { buffer: memory, byteOffset, byteLength } = encoded.body
      this.#fresh.add(id.text, { name, body: Buffer.from(memory, byteOffset, byteLength) })
      onEncoded()
      const isStored = await this.#store.link(id, name, owner)
      if (!isStored) await this.#store.put(id, name, encoded.body, owner)
      await this.#count(id, owner, encoded.body.byteLength)
      this.#storage.stored()
      metrics.ended(isStored ? 'same' : 'stored', seconds())
    } catch (error) {
      this.#storage.failed(error)
      metrics.ended('failed', seconds())
      throw error
    }
  }
}

function failureOf(cause: unknown): ApiError {
  // The worker that had the frame ended before it was encoded.
  if (cause instanceof MachineError && cause.code === 'UNREACHABLE')
    return new ApiError('screenshot.NOT_FOUND', {
      message: 'This screenshot was lost before it was stored, because the process that took it ended.',
      cause,
    })
  return isOutOfSpace(cause) ? outOfSpace(cause) : new ApiError('screenshot.FAILED', { cause })
}

interface PendingPicture {
  readonly capture: Capture
  /** Resolves when the picture was encoded, or has failed. */
  readonly encoded: Promise<void>
  isEncoded: boolean
  readonly stored: Promise<void>
}
