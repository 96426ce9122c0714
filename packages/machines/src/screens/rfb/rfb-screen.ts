import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Point } from '../../contract/rect.ts'
import type { Damage, Frame, Look, SettleOptions, Watcher } from '../../contract/screen.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { DamageLog } from '../damage-log.ts'
import { Stillness } from '../stillness.ts'
import { within } from '../within.ts'
import { RfbClipboard } from './rfb-clipboard.ts'
import { RfbLink } from './rfb-link.ts'

/** Nobody looked for so long: the server need not send what changes. */
const restAfterMs = 2000

/** Nobody looked for so long: the connection and the memory of the picture are given back. */
const dropAfterMs = 60_000

/** A desktop that is away is asked for again so often. */
const reconnectAfterMs = 100

/** Whether the picture must be that of now. */
type Picture = 'current' | 'as it is'

/** The picture of one machine, kept current while somebody looks, for as many as look. */
export class RfbScreen {
  readonly #dial: () => Promise<Duplex>
  readonly #log = new DamageLog()
  readonly #stillness: Stillness
  readonly #watchers = new Set<Watcher>()
  readonly #clipboard = new RfbClipboard()
  /** Settles when it is current, unless it rests. */
  #link: Promise<RfbLink> | undefined
  /** The latest that was made, whether it is current or not. */
  #connection: Promise<RfbLink> | undefined
  #opened: RfbLink | undefined
  #users = 0
  #idle: NodeJS.Timeout | undefined
  #isResting = false
  #isClosed = false

  constructor(dial: () => Promise<Duplex>, stillness = new Stillness()) {
    this.#dial = dial
    this.#stillness = stillness
  }

  look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    return this.#use(async link => {
      const { frame } = link
      return { frame: { ...frame, pixels: copy(frame.pixels, memory) }, changed: this.#log.take() }
    })
  }

  /** Known only while the picture is current. */
  get size(): ScreenSize | undefined {
    return this.#isResting ? undefined : this.#opened?.framebuffer
  }

  /** Known only while the server tells where programs move the pointer. */
  isAt({ x, y }: Point): boolean {
    const pointer = this.#isResting ? undefined : this.#opened?.frame.pointer
    return pointer?.x === x && pointer.y === y
  }

  moveTo(to: Point): Promise<void> {
    return this.#use(link => within(link.moveTo(to)), 'as it is')
  }

  settled(options: SettleOptions): Promise<boolean> {
    return this.#use(() => this.#stillness.settled(options))
  }

  async watch(watcher: Watcher): Promise<() => void> {
    const link = await this.#acquire()
    this.#watchers.add(watcher)
    watcher([link.wholeScreen], link.frame)
    return () => {
      if (this.#watchers.delete(watcher)) this.#release()
    }
  }

  /** Programs of the machine can paste it from when this settles, for as long as there is a connection. */
  offer(text: string): Promise<void> {
    return this.#use(link => {
      this.#clipboard.offer(text)
      return link.sync()
    }, 'as it is')
  }

  /** What is copied is heard of while there is a connection, as there is while somebody watches the picture. */
  async watchClipboard(onCopy: (text: string) => void): Promise<() => void> {
    await this.#acquire('as it is')
    const stop = this.#clipboard.watch(onCopy)
    let isWatching = true
    return () => {
      if (!isWatching) return
      isWatching = false
      stop()
      this.#release()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#drop()
  }

  async #use<T>(work: (link: RfbLink) => Promise<T>, picture: Picture = 'current'): Promise<T> {
    const link = await this.#acquire(picture)
    try {
      return await work(link)
    } finally {
      this.#release()
    }
  }

  /** A connection; `#release` must follow. */
  async #acquire(picture: Picture = 'current'): Promise<RfbLink> {
    this.#users++
    clearTimeout(this.#idle)
    try {
      if (this.#isResting && picture === 'current') {
        this.#link = this.#link?.then(wake)
        this.#isResting = false
      }
      this.#link ??= this.#connect()
      return await this.#link
    } catch (error) {
      this.#release()
      throw error
    }
  }

  #release(): void {
    if (--this.#users === 0) this.#idle = setTimeout(() => void this.#rest(), restAfterMs).unref()
  }

  async #rest(): Promise<void> {
    const link = await this.#link?.catch(() => undefined)
    if (!link || this.#users > 0) return
    this.#isResting = true
    link.watch(false)
    this.#idle = setTimeout(() => this.#drop(), dropAfterMs).unref()
  }

  #drop(): void {
    clearTimeout(this.#idle)
    this.#isResting = false
    this.#opened = undefined
    const link = this.#link
    this.#link = undefined
    link?.then(
      opened => opened.close(),
      () => {},
    )
  }

  /** Forgets the connection once it is lost, so that the next who looks makes a new one. */
  #connect(): Promise<RfbLink> {
    const lost = () => {
      if (this.#connection !== connection) return
      this.#connection = undefined
      this.#link = undefined
      this.#opened = undefined
      if (this.#watchers.size > 0) void this.#reconnect()
    }
    const connection = this.#open(lost)
    this.#connection = connection
    connection.catch(lost)
    return connection
  }

  /** For those who watch and do not ask. Opening a connection tells them the whole screen. */
  async #reconnect(): Promise<void> {
    await pause(reconnectAfterMs, undefined, { ref: false })
    if (this.#isClosed || this.#watchers.size === 0) return
    this.#link ??= this.#connect()
  }

  async #open(onClose: () => void): Promise<RfbLink> {
    const stream = await this.#dial()
    try {
      this.#opened = await within(
        RfbLink.open(stream, {
          onChange: (rects, frame) => this.#onChange(rects, frame),
          clipboard: this.#clipboard,
          onClose,
        }),
      )
      return this.#opened
    } catch (error) {
      stream.destroy()
      throw error
    }
  }

  #onChange(rects: readonly Damage[], frame: Frame): void {
    this.#log.add(rects)
    this.#stillness.changed(rects)
    for (const watcher of this.#watchers) watcher(rects, frame)
  }
}

function copy(pixels: Uint8Array, memory: Uint8Array<ArrayBuffer> | undefined): Uint8Array<ArrayBuffer> {
  if (memory?.length !== pixels.length) return new Uint8Array(pixels)
  memory.set(pixels)
  return memory
}

async function wake(link: RfbLink): Promise<RfbLink> {
  link.watch(true)
  await within(link.catchUp())
  return link
}
