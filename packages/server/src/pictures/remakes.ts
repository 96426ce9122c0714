import { buffer } from 'node:stream/consumers'
import { ApiError } from '@sandglass/protocol'
import type { PictureConverter, PictureFormat } from '@sandglass/workers/contract'
import type { PictureId } from './picture-id.ts'
import type { PictureMetrics } from './picture-metrics.ts'
import { nameText, type PictureName } from './picture-name.ts'
import type { PictureOwner } from './picture-owner.ts'
import type { PictureStore } from './store.ts'

/** Everybody who has a URL can request conversions, so their number is limited. */
const maxConcurrent = 16

/** Converts stored pictures to other formats, each only once. */
export class Remakes {
  readonly #store: PictureStore
  readonly #converter: PictureConverter
  readonly #metrics: PictureMetrics
  readonly #pending = new Map<string, Promise<void>>()

  constructor(store: PictureStore, converter: PictureConverter, metrics: PictureMetrics) {
    this.#store = store
    this.#converter = converter
    this.#metrics = metrics
  }

  /** Stores the picture of an id in another format too, if it is not stored yet. */
  async make(id: PictureId, taken: PictureName, to: PictureFormat, owner?: PictureOwner): Promise<void> {
    const name = { ...taken, remade: to }
    const key = id.text + nameText(name)
    const known = this.#pending.get(key)
    if (known) return known
    if (this.#pending.size >= maxConcurrent)
      throw new ApiError('service.UNAVAILABLE', {
        message: 'Too many screenshots are being converted to other formats.',
        retryAfter: 1,
      })
    const making = this.#make(id, taken, to, owner).finally(() => this.#pending.delete(key))
    this.#pending.set(key, making)
    return making
  }

  async #make(id: PictureId, taken: PictureName, to: PictureFormat, owner?: PictureOwner): Promise<void> {
    const name = { ...taken, remade: to }
    if (await this.#store.link(id, name, owner)) return
    const stored = await this.#store.open(id, taken)
    if (!stored) throw new ApiError('screenshot.NOT_FOUND')
    const encoded = await this.#converter.transcode(await buffer(stored.body), to, owner?.orgId)
    this.#metrics.encoded(to, encoded)
    await this.#store.put(id, name, encoded.body, owner)
  }
}
