import type { Duplex } from 'node:stream'
import { type Failure, Supervised } from '@sandglass/supervision'
import { MachineError } from '../../contract/errors.ts'
import type { Point } from '../../contract/rect.ts'
import type { Damage, Frame, Look, SettleOptions, Watcher } from '../../contract/screen.ts'
import type { ScreenSize } from '../../contract/spec.ts'
import { DamageLog } from '../damage-log.ts'
import { linkBackoff } from '../link-backoff.ts'
import { Stillness } from '../stillness.ts'
import { within } from '../within.ts'
import { RfbClipboard } from './rfb-clipboard.ts'
import { RfbLink } from './rfb-link.ts'

/** After this long without a look the server need not send what changes. */
const restAfterMs = 2000

/** After this long without a look the connection and the memory of the picture are released. */
const dropAfterMs = 60_000

/** Whether the picture must be that of now. */
type Picture = 'current' | 'as it is'

export interface RfbScreenOptions {
  /** Called when the screen cannot be reached, and with `undefined` when it can again. */
  readonly onFailure?: (failure: Failure | undefined) => void
  /** Decides when the screen has come to rest. */
  readonly stillness?: Stillness
}

/** The picture of one machine, kept current while somebody looks, for as many as look. */
export class RfbScreen {
  readonly #log = new DamageLog()
  readonly #stillness: Stillness
  readonly #watchers = new Set<Watcher>()
  readonly #clipboard = new RfbClipboard()
  readonly #links: Supervised<RfbLink>
  #users = 0
  #idle: NodeJS.Timeout | undefined

  constructor(
    dial: () => Promise<Duplex>,
    { onFailure = () => {}, stillness = new Stillness() }: RfbScreenOptions = {},
  ) {
    this.#stillness = stillness
    this.#links = new Supervised({
      open: async () => this.#open(await dial()),
      ended: link => link.closed,
      close: link => link.close(),
      backoff: linkBackoff,
      probes: true,
      onFailure: failure => {
        // Nobody may have asked for the link that works again.
        if (!failure && this.#users === 0) this.#restLater()
        onFailure(failure)
      },
    })
  }

  look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    return this.#use(async ({ frame }) => ({
      frame: { ...frame, pixels: copy(frame.pixels, memory) },
      changed: this.#log.take(),
    }))
  }

  /** Known only while the picture is current. */
  get size(): ScreenSize | undefined {
    return this.#currentLink?.framebuffer
  }

  /** Known only while the server reports where programs move the pointer. */
  isAt({ x, y }: Point): boolean {
    const pointer = this.#currentLink?.frame.pointer
    return pointer?.x === x && pointer.y === y
  }

  moveTo(to: Point): Promise<void> {
    return this.#use(link => this.#answer(link, link.moveTo(to)), 'as it is')
  }

  settled(options: SettleOptions): Promise<boolean> {
    return this.#use(() => this.#stillness.settled(options))
  }

  /** Each connection that is opened meanwhile begins with the whole screen, so that nobody misses what changed in between. */
  async watch(watcher: Watcher): Promise<() => void> {
    const { link, release } = await this.#hold('current')
    this.#watchers.add(watcher)
    watcher([link.wholeScreen], link.frame)
    return () => {
      if (this.#watchers.delete(watcher)) release()
    }
  }

  /** Programs of the machine can paste it from when this settles, for as long as there is a connection. */
  offer(text: string): Promise<void> {
    return this.#use(link => {
      this.#clipboard.offer(text)
      return this.#answer(link, link.sync())
    }, 'as it is')
  }

  async watchClipboard(onCopy: (text: string) => void): Promise<() => void> {
    const { release } = await this.#hold('as it is')
    const stop = this.#clipboard.watch(onCopy)
    let isWatching = true
    return () => {
      if (!isWatching) return
      isWatching = false
      stop()
      release()
    }
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#links.close(new MachineError('STATE', 'the machine has ended or was let go of'))
  }

  get #currentLink(): RfbLink | undefined {
    const link = this.#links.current
    return link?.isCurrent ? link : undefined
  }

  async #use<T>(work: (link: RfbLink) => Promise<T>, picture: Picture = 'current'): Promise<T> {
    const link = await this.#acquire(picture)
    try {
      return await work(link)
    } finally {
      this.#release()
    }
  }

  /** A connection that is opened again by itself whenever it is lost, until `release`. */
  async #hold(picture: Picture): Promise<{ link: RfbLink; release: () => void }> {
    const link = await this.#acquire(picture)
    const unhold = this.#links.hold()
    return {
      link,
      release: () => {
        unhold()
        this.#release()
      },
    }
  }

  /** A connection; `#release` must follow. */
  async #acquire(picture: Picture): Promise<RfbLink> {
    this.#users++
    clearTimeout(this.#idle)
    try {
      const link = await this.#links.get()
      if (picture === 'current' && !link.isCurrent) await this.#answer(link, link.wake())
      return link
    } catch (error) {
      this.#release()
      throw error
    }
  }

  #release(): void {
    if (--this.#users === 0) this.#restLater()
  }

  #restLater(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#rest(), restAfterMs).unref()
  }

  #rest(): void {
    this.#links.current?.rest()
    this.#idle = setTimeout(() => this.#links.release(), dropAfterMs).unref()
  }

  /** A link that does not answer in time is replaced, so that one slow moment of the desktop does not cost the screen. */
  async #answer<T>(link: RfbLink, answer: Promise<T>): Promise<T> {
    try {
      return await within(answer)
    } catch (error) {
      this.#links.replace(link, error)
      throw error
    }
  }

  async #open(stream: Duplex): Promise<RfbLink> {
    try {
      return await within(
        RfbLink.open(stream, {
          onChange: (rects, frame) => this.#onChange(rects, frame),
          clipboard: this.#clipboard,
        }),
      )
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
