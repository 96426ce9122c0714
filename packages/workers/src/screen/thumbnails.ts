import { createHash } from 'node:crypto'
import type { Screen } from '@sandglass/machines/contract'
import type { Thumbnail } from '../contract/index.ts'
import type { Encoders } from '../encoding/encoders.ts'

/** A screen that changes all the time is encoded this often, however many people watch it. */
const minIntervalMs = 500

/** More sizes than pages show at the same time. */
const maxWidths = 4

interface Made extends Required<Thumbnail> {
  /** The version of the screen that it shows. */
  readonly version: number
  readonly atMs: number
}

/** The thumbnails of one screen. Those who ask for the same width share one, until the screen has changed. */
export class Thumbnails {
  readonly #screen: () => Pick<Screen, 'sample'>
  readonly #encoders: Pick<Encoders, 'developSmall' | 'spareMemory'>
  readonly #tenant: () => string
  readonly #now: () => number
  /** By width, the one that was asked for last at the end. */
  readonly #made = new Map<number, Made>()
  readonly #making = new Map<number, Promise<Made>>()

  constructor(
    screen: () => Pick<Screen, 'sample'>,
    encoders: Pick<Encoders, 'developSmall' | 'spareMemory'>,
    tenant: () => string,
    now = () => performance.now(),
  ) {
    this.#now = now
    this.#screen = screen
    this.#encoders = encoders
    this.#tenant = tenant
  }

  async get(width: number, known?: string): Promise<Thumbnail> {
    const making = this.#making.get(width) ?? this.#current(width).finally(() => this.#making.delete(width))
    this.#making.set(width, making)
    const { tag, body } = await making
    return tag === known ? { tag } : { tag, body }
  }

  async #current(width: number): Promise<Made> {
    const last = this.#made.get(width)
    if (last && this.#now() - last.atMs < minIntervalMs) return last
    const { spareMemory } = this.#encoders
    const { version, frame } = await this.#screen().sample(last?.version, spareMemory.take())
    if (!frame && last) return last
    if (!frame) throw new Error('a screen was sampled without a frame')
    const atMs = this.#now()
    const { body, pixels } = await this.#encoders.developSmall(frame, width, this.#tenant())
    spareMemory.give(pixels)
    const made = { version, body, tag: createHash('sha256').update(body).digest('base64url'), atMs }
    this.#made.delete(width)
    this.#made.set(width, made)
    for (const oldest of this.#made.keys()) if (this.#made.size > maxWidths) this.#made.delete(oldest)
    return made
  }
}
