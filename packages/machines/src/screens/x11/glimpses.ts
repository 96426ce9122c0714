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
  X11LimitError,
} from '@sandglass/wire/x11'
import type { Glimpse } from '../../contract/screen.ts'
import { linkBackoff } from '../link-backoff.ts'
import { X11Connection } from './x11-connection.ts'

/** RFB reports a larger change soon enough, and copying it would cost more than it gains. */
const maxPixels = 60_000

/** Changes that follow within two frames are reported together. */
const minPauseMs = 33
/** A screen that changes all the time is looked at so rarely that it costs almost nothing. */
const maxPauseMs = 500

/** The max number of consecutive looks at one change. */
const maxLooks = 3

/**
 * Reports small changes as soon as programs have drawn them. Xtigervnc sends RFB updates on a timer, half a frame or
 * more after an idle screen has changed, which is most of the latency between a key and its effect.
 */
export class Glimpses {
  readonly #onGlimpse: (glimpse: Glimpse) => void
  /** Failures are not reported, because watchers receive every change by RFB as well. */
  readonly #connections: Supervised<X11Connection>
  #isClosed = false
  /** The bounding box of everything drawn since the last pause. */
  #box: DamagedArea | undefined
  #pauseMs = minPauseMs
  #watchedSinceMs = 0
  /** While this timer runs, changes are left to RFB. */
  #pause: NodeJS.Timeout | undefined

  constructor(dial: () => Promise<Duplex>, onGlimpse: (glimpse: Glimpse) => void) {
    this.#onGlimpse = onGlimpse
    this.#connections = new Supervised({
      open: async () => this.#open(await X11Connection.open(await dial())),
      ended: connection => connection.closed,
      close: connection => connection.close(),
      isFault: end => end instanceof X11LimitError,
      backoff: linkBackoff,
    })
    this.#connections.hold()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#pause)
    this.#connections.close()
  }

  async #open(connection: X11Connection): Promise<X11Connection> {
    clearTimeout(this.#pause)
    this.#box = this.#pause = undefined
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

  /** Looks at the first change after a pause, once the events of this turn of the event loop are read. */
  #onDamage(box: DamagedArea, connection: X11Connection, forget: () => void): void {
    this.#box = box
    if (this.#pause) return
    const wasIdle = performance.now() - this.#watchedSinceMs > minPauseMs
    this.#pauseMs = wasIdle ? minPauseMs : Math.min(2 * this.#pauseMs, maxPauseMs)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#watchedSinceMs = performance.now()
      forget()
    }, this.#pauseMs).unref()
    if (wasIdle) queueMicrotask(() => this.#look(connection).catch(() => {}))
  }

  /** Programs draw in steps, so a look during which the area has grown is followed by another. */
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
