import type { Duplex } from 'node:stream'
import { Supervised } from '@sandglass/supervision'
import {
  createDamage,
  type DamagedArea,
  getImage,
  queryDamageVersion,
  queryExtension,
  readDamage,
  readExtension,
  readImage,
  subtractDamage,
} from '@sandglass/wire/x11'
import type { Glimpse } from '../../contract/screen.ts'
import { linkBackoff } from '../link-backoff.ts'
import { X11Connection } from './x11-connection.ts'

/** A larger change is told soon enough by who tells all of them, and a copy of it would cost more than it gains. */
const maxPixels = 60_000

/** What follows a change within two frames is told with it. */
const shortestRestMs = 33
/** A screen that is never at rest is looked at so seldom that it costs nothing. */
const longestRestMs = 500

/** So often in a row. */
const maxLooks = 3

/**
 * Sees what programs draw when they have drawn it. Xtigervnc tells changes by RFB at the ticks of a clock, half a frame or more
 * after a screen that was at rest has changed, which is most of the time from a key to what it does.
 */
export class Glimpses {
  readonly #onGlimpse: (glimpse: Glimpse) => void
  /** Whatever goes wrong with it, who watches is told of every change all the same. */
  readonly #connections: Supervised<X11Connection>
  #isClosed = false
  /** Around all that was drawn since the last rest. */
  #box: DamagedArea | undefined
  #restMs = shortestRestMs
  #watchedSinceMs = 0
  /** While it runs, others tell what is drawn. */
  #rest: NodeJS.Timeout | undefined

  constructor(dial: () => Promise<Duplex>, onGlimpse: (glimpse: Glimpse) => void) {
    this.#onGlimpse = onGlimpse
    this.#connections = new Supervised({
      open: async () => this.#open(await X11Connection.open(await dial())),
      ended: connection => connection.closed,
      close: connection => connection.close(),
      backoff: linkBackoff,
    })
    this.#connections.hold()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#rest)
    this.#connections.close()
  }

  async #open(connection: X11Connection): Promise<X11Connection> {
    clearTimeout(this.#rest)
    this.#box = this.#rest = undefined
    try {
      const { root, resourceIdBase } = connection.setup
      const damage = await connection.ask(queryExtension('DAMAGE'), readExtension)
      if (!damage) {
        this.close()
        return connection
      }
      const { opcode, firstEvent } = damage
      await connection.ask(queryDamageVersion(opcode), () => {})
      const forget = () => connection.isOpen && connection.send(subtractDamage(opcode, resourceIdBase))
      connection.listen((code, bytes) => {
        if (code === firstEvent) this.#onDamage(readDamage(bytes), connection, forget)
      })
      connection.send(createDamage(opcode, resourceIdBase, root))
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  }

  /** The first of a rest is looked at, and what it has become when the events of this turn are read. */
  #onDamage(box: DamagedArea, connection: X11Connection, forget: () => void): void {
    this.#box = box
    if (this.#rest) return
    const wasAtRest = performance.now() - this.#watchedSinceMs > shortestRestMs
    this.#restMs = wasAtRest ? shortestRestMs : Math.min(2 * this.#restMs, longestRestMs)
    this.#rest = setTimeout(() => {
      this.#rest = undefined
      this.#watchedSinceMs = performance.now()
      forget()
    }, this.#restMs).unref()
    if (wasAtRest) queueMicrotask(() => this.#look(connection).catch(() => {}))
  }

  /** Programs draw in parts: a look during which the box has grown is followed by another. */
  async #look(connection: X11Connection): Promise<void> {
    let seen: DamagedArea | undefined
    for (let looks = 0; looks < maxLooks && this.#box !== seen; looks++) {
      const area = this.#box
      const pixels = (area?.width ?? 0) * (area?.height ?? 0)
      if (!area || pixels === 0 || pixels > maxPixels) return
      seen = area
      const read = (reply: Uint8Array) => readImage(reply, pixels)
      const image = await connection.ask(getImage(connection.setup.root, area), read)
      if (this.#isClosed) return
      this.#onGlimpse({ area, pixels: image })
    }
  }
}
