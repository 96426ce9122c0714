import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Frame } from '@sandglass/machines/contract'
import { ApiError } from '@sandglass/protocol'
import type { Logger } from 'pino'
import { nodeTag } from '../placement/node-tag.ts'
import { Backlog } from './backlog.ts'
import { Encoders } from './encoders.ts'
import { mediaTypes, type PictureFormat } from './format.ts'
import { FreshPictures } from './fresh-pictures.ts'
import { newPictureId, type PictureId } from './picture-id.ts'
import type { PictureMetrics } from './picture-metrics.ts'
import type { PictureName } from './picture-name.ts'
import { Postponed } from './postponed.ts'
import { Remakes } from './remakes.ts'
import { SpareMemory } from './spare-memory.ts'
import { isOutOfSpace, outOfSpace, StorageState } from './storage-state.ts'
import type { PictureStore } from './store.ts'

export interface PictureOptions {
  readonly format: PictureFormat
  /** Whether the pointer is drawn in. */
  readonly pointer: boolean
  /** The picture is scaled down until neither side is longer; as large as the screen where it is left out. */
  readonly longestSide?: number | undefined
}

/** A picture that was taken, and which a plain GET of its URL fetches. */
export interface Picture {
  readonly url: string
  /** Why the picture cannot be fetched by its URL, as far as is known now. */
  readonly problem: ApiError | undefined
  /** Rejects where the picture cannot be encoded or stored; nobody has to listen. */
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
  readonly publicUrl: () => string
  readonly metrics: PictureMetrics
  readonly log: Logger
  readonly now?: () => number
}

/** Some seventy frames of 1280x720. */
const maxBytesUnderWay = 256 * 1024 * 1024
const maxFailures = 1000

/** From frames of a screen to pictures that can be fetched. */
export class Pictures {
  /** This node's, in the ids of the pictures that it took. */
  readonly tag: string
  readonly now: () => number
  /** For the next frames. */
  readonly spareMemory = new SpareMemory()
  readonly #parts: PicturesParts
  readonly #store: PictureStore
  readonly #storage: StorageState
  readonly #encoders: Encoders
  readonly #remakes: Remakes
  readonly #backlog = new Backlog(maxBytesUnderWay)
  readonly #postponed = new Postponed()
  readonly #underWay = new Map<string, UnderWay>()
  readonly #fresh = new FreshPictures()
  /** Why the last of those that failed did. */
  readonly #failed = new Map<string, unknown>()

  constructor(parts: PicturesParts) {
    const { store, nodeId, metrics, log, now = Date.now } = parts
    this.#parts = parts
    this.tag = nodeTag(nodeId)
    this.now = now
    this.#store = store
    this.#storage = new StorageState(store)
    this.#encoders = new Encoders(error => log.warn({ error }, 'an encoder worker crashed'))
    this.#remakes = new Remakes(store, this.#encoders, metrics)
  }

  /** Starts the workers, so that the first picture does not wait for them. */
  warm(): void {
    this.#encoders.warm()
  }

  /** To be awaited before a frame is captured: resolves at once, unless too many pictures are under way. */
  async ready(): Promise<void> {
    await Promise.all([this.#backlog.waitForCapacity(), this.#storage.refresh()])
  }

  /** Answers at once; the picture is encoded and stored afterwards. The frame's memory is taken over. */
  keep(frame: Frame, options: PictureOptions): Picture {
    const { publicUrl, lifeMs, log } = this.#parts
    const id = newPictureId(this.now() + lifeMs, this.tag)
    const encoded = Promise.withResolvers<void>()
    const onEncoded = () => {
      underWay.isEncoded = true
      encoded.resolve()
    }
    const stored = this.#backlog
      .during(frame.pixels.byteLength, () => this.#develop(id, frame, options, onEncoded))
      .finally(() => {
        onEncoded()
        this.#underWay.delete(id.text)
      })
    const underWay: UnderWay = { encoded: encoded.promise, isEncoded: false, stored }
    stored.catch(error => {
      log.warn({ error }, 'a picture could not be stored')
      this.#remember(id, error)
    })
    this.#underWay.set(id.text, underWay)
    const problem = () => this.#problemOf(id)
    return {
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

  /** The picture of an id, once it is there. */
  async find(id: PictureId): Promise<PictureName | undefined> {
    const underWay = this.#underWay.get(id.text)
    if (underWay && !underWay.isEncoded) {
      this.#encoders.prioritize(id.text)
      this.#postponed.release(id.text)
    }
    await underWay?.encoded
    if (id.expiresAt <= this.now()) return undefined
    const fresh = this.#fresh.get(id.text)
    if (fresh) return fresh.name
    await underWay?.stored.catch(() => {})
    const cause = this.#failed.get(id.text)
    if (cause) throw failureOf(cause)
    return this.#store.find(id)
  }

  /** The picture of an id in a format, which is made where it is another than that of the picture. */
  async open(id: PictureId, taken: PictureName, format: PictureFormat): Promise<OpenPicture | undefined> {
    const body = format === taken.format ? this.#fresh.get(id.text)?.body : undefined
    if (body) return { size: body.length, body }
    // It may have made room for newer ones before it was stored.
    await this.#underWay.get(id.text)?.stored.catch(() => {})
    if (format === taken.format) return this.#store.open(id, taken)
    const remade = { ...taken, remade: format }
    const known = await this.#store.open(id, remade)
    if (known) return known
    await this.#remakes.make(id, taken, format).catch(error => {
      throw isOutOfSpace(error) ? outOfSpace(error) : error
    })
    return this.#store.open(id, remade)
  }

  /** Deletes what has expired. */
  async sweep(): Promise<void> {
    await this.#store.sweep(this.now())
  }

  /** Finishes the pictures under way. */
  async close(): Promise<void> {
    this.#postponed.releaseAll()
    await Promise.allSettled([...this.#underWay.values()].map(({ stored }) => stored))
    await this.#encoders.close()
  }

  #problemOf({ text }: PictureId): ApiError | undefined {
    const cause = this.#failed.get(text)
    if (cause) return failureOf(cause)
    const isPending = this.#underWay.has(text)
    return isPending && this.#storage.isShort ? outOfSpace() : undefined
  }

  #remember(id: PictureId, failure: unknown): void {
    // What there is no space for can be fetched for as long as it is in memory.
    if (!isOutOfSpace(failure)) this.#fresh.delete(id.text)
    this.#failed.set(id.text, failure)
    const [oldest] = this.#failed.keys()
    if (oldest && this.#failed.size > maxFailures) this.#failed.delete(oldest)
  }

  async #develop(
    id: PictureId,
    frame: Frame,
    { format, pointer, longestSide }: PictureOptions,
    onEncoded: () => void,
  ): Promise<void> {
    const { metrics } = this.#parts
    const start = performance.now()
    const seconds = () => (performance.now() - start) / 1000
    metrics.began()
    await this.#postponed.until(id.text)
    try {
      const { hash, pixels, ...encoded } = await this.#encoders.develop(id.text, forWorker(frame, pointer), {
        format,
        longestSide,
      })
      this.spareMemory.give(pixels)
      metrics.encoded(format, encoded)
      const name = { hash, format }
      const { buffer: memory, byteOffset, byteLength } = encoded.body
      this.#fresh.add(id.text, { name, body: Buffer.from(memory, byteOffset, byteLength) })
      onEncoded()
      const isKnown = await this.#store.link(id, name)
      if (!isKnown) await this.#store.put(id, name, encoded.body)
      this.#storage.stored()
      metrics.ended(isKnown ? 'same' : 'stored', seconds())
    } catch (error) {
      this.#storage.failed(error)
      metrics.ended('failed', seconds())
      throw error
    }
  }
}

function failureOf(cause: unknown): ApiError {
  return isOutOfSpace(cause) ? outOfSpace(cause) : new ApiError('screenshot.FAILED', { cause })
}

interface UnderWay {
  /** Resolves when it was encoded, or will never be. */
  readonly encoded: Promise<void>
  isEncoded: boolean
  readonly stored: Promise<void>
}

/** What a worker needs of a frame: the pointer's image only to draw it, and never more of the memory it lies in. */
function forWorker({ width, height, pixels, pointer: { x, y, image } }: Frame, draw: boolean): Frame {
  const drawn = draw && image ? { ...image, rgba: image.rgba.slice() } : undefined
  return { width, height, pixels, pointer: { x, y, image: drawn } }
}
