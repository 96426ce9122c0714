import type { Duplex } from 'node:stream'
import { type Failure, Supervised } from '@sandglass/supervision'
import { RfbError, WorkBudget, workRatesFor } from '@sandglass/wire/rfb'
import { MachineError } from '../../contract/errors.ts'
import type { Point } from '../../contract/rect.ts'
import type { Damage, Frame, Look, Sample, SettleOptions, Watcher } from '../../contract/screen.ts'
import { defaultScreen, type ScreenSize } from '../../contract/spec.ts'
import { DamageLog } from '../damage-log.ts'
import { linkBackoff } from '../link-backoff.ts'
import { Penalty } from '../penalty.ts'
import { SettleDetector } from '../settle-detector.ts'
import { withTimeout } from '../with-timeout.ts'
import { copyChanged } from './copy-changed.ts'
import { RfbClipboard } from './rfb-clipboard.ts'
import { RfbLink, type ServerLimits } from './rfb-link.ts'

/** Updates are paused after this long without a look. */
const pauseAfterMs = 2000

/** The connection and the framebuffer are released after this long without a look. */
const dropAfterMs = 60_000

/** Programs may resize the screen of any machine to this. */
const commonPixels = 1920 * 1200

/** After about this many copied pixels, which take a millisecond, other work of this process gets its turn. */
const pixelsPerTurn = 1_000_000

/** Whether the picture must be current. */
type Picture = 'current' | 'as it is'

export interface RfbScreenOptions {
  /** Called when the screen cannot be reached, and with `undefined` when it can again. */
  readonly onFailure?: (failure: Failure | undefined) => void
  /** The size that the machine was made with; it may resize its screen to that or less, or to 1920x1200 or less. */
  readonly made?: ScreenSize
  /** The time in milliseconds by which the server is limited and kept disconnected; tests stop it. */
  readonly now?: () => number
  /** Called with every change while the picture is current. */
  readonly onChange?: (rects: readonly Damage[]) => void
  /** For a server that has to be kept attentive while somebody looks: a message that does so and nothing else. */
  readonly nudge?: Uint8Array
  /** Decides when the screen has settled. */
  readonly settleDetector?: SettleDetector
}

/** The picture of one machine. It is kept current while somebody looks, and shared by everybody who does. */
export class RfbScreen {
  readonly #log = new DamageLog()
  readonly #settleDetector: SettleDetector
  readonly #onEachChange: (rects: readonly Damage[]) => void
  readonly #watchers = new Set<Watcher>()
  readonly #clipboard = new RfbClipboard()
  readonly #links: Supervised<RfbLink>
  readonly #limits: ServerLimits
  readonly #nudge: Uint8Array | undefined
  readonly #penalty: Penalty
  /** The framebuffer of the previous look, which a new connection or size replaces, and the memory that it was copied to. */
  #lastLook = { from: new WeakRef(new Uint8Array()), to: new WeakRef(new Uint8Array()) }
  /** Grows with every change of the pixels. */
  #version = 1
  #users = 0
  /** Until then, the picture is kept current for somebody who has just looked. */
  #followedUntilMs = 0
  #idle: NodeJS.Timeout | undefined

  constructor(
    dial: () => Promise<Duplex>,
    {
      onFailure = () => {},
      made = defaultScreen,
      now,
      onChange = () => {},
      nudge,
      settleDetector = new SettleDetector(),
    }: RfbScreenOptions = {},
  ) {
    this.#settleDetector = settleDetector
    this.#onEachChange = onChange
    this.#nudge = nudge
    this.#penalty = new Penalty(now)
    const maxPixels = Math.max(made.width * made.height, commonPixels)
    this.#limits = { maxPixels, budget: new WorkBudget(workRatesFor(maxPixels), pixelsPerTurn, now) }
    this.#links = new Supervised({
      open: async () => {
        this.#penalty.check()
        return this.#open(await dial())
      },
      ended: link => this.#judged(link.closed),
      isFault: end => end instanceof RfbError && end.code !== 'TRUNCATED',
      close: link => link.close(),
      backoff: linkBackoff,
      probes: true,
      onFailure: failure => {
        // The link may have been reopened by a probe, without any user.
        if (!failure && this.#users === 0) this.#restLater()
        onFailure(failure)
      },
    })
  }

  look(memory?: Uint8Array<ArrayBuffer>): Promise<Look> {
    return this.#use(async ({ frame }) => {
      const changed = this.#log.take()
      const { from, to } = this.#lastLook
      const isPrevious = memory !== undefined && memory === to.deref() && frame.pixels === from.deref()
      const pixels = isPrevious ? copyChanged(frame, memory, changed) : copy(frame.pixels, memory)
      this.#lastLook = { from: new WeakRef(frame.pixels), to: new WeakRef(pixels) }
      return { frame: { ...frame, pixels }, changed }
    })
  }

  /**
   * A screen that has changed since the last sample is left alone until the next one. One that has not is followed until its next
   * change, so that samples need not ask the server until then.
   */
  async sample(known?: number, memory?: Uint8Array<ArrayBuffer>): Promise<Sample> {
    if (this.#currentLink && known === this.#version) {
      if (this.#users === 0) this.#restLater()
      return { version: known }
    }
    const { frame } = await this.#acquire('current')
    const version = this.#version
    const isKnown = known === version
    const sample = isKnown
      ? { version }
      : { version, frame: { ...frame, pixels: copy(frame.pixels, memory) } }
    if (--this.#users > 0) return sample
    if (isKnown || this.#isFollowed) this.#restLater()
    else this.#rest()
    return sample
  }

  /** Reports that the screen will probably change now, because it was given input. */
  expectChange(): void {
    this.#links.current?.nudge()
  }

  /** Undefined unless the picture is current. */
  get size(): ScreenSize | undefined {
    return this.#currentLink?.framebuffer
  }

  /** False unless the picture is current and the server reports where programs move the pointer. */
  isAt({ x, y }: Point): boolean {
    const pointer = this.#currentLink?.frame.pointer
    return pointer?.x === x && pointer.y === y
  }

  moveTo(to: Point): Promise<void> {
    return this.#use(link => this.#answer(link, link.moveTo(to)), 'as it is')
  }

  settled(options: SettleOptions): Promise<boolean> {
    return this.#use(() => this.#settleDetector.settled(options))
  }

  /** Resolves when the picture has what programs had drawn before the call, which the server sends a little later. */
  drawn(): Promise<void> {
    return this.#use(link => this.#answer(link, link.refresh()), 'as it is')
  }

  /** Keeps the picture current during the work. */
  whileCurrent<T>(work: () => Promise<T>): Promise<T> {
    return this.#use(work)
  }

  /** A reconnect starts with the whole screen, so that watchers do not miss what changed in between. */
  async watch(watcher: Watcher): Promise<() => void> {
    const { link, release } = await this.#hold('current')
    this.#watchers.add(watcher)
    watcher([link.wholeScreen], link.frame)
    return () => {
      if (this.#watchers.delete(watcher)) release()
    }
  }

  /** Resolves once programs in the machine can paste the text. The offer ends with the connection. */
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
    this.#links.close(new MachineError('STATE', 'the machine has ended or was closed'))
  }

  get #currentLink(): RfbLink | undefined {
    const link = this.#links.current
    return link?.isCurrent ? link : undefined
  }

  async #use<T>(work: (link: RfbLink) => Promise<T>, picture: Picture = 'current'): Promise<T> {
    const link = await this.#acquire(picture)
    try {
      return await work(link)
    } catch (error) {
      throw asMachineError(error)
    } finally {
      this.#release()
    }
  }

  /** Holds a connection that is reopened whenever it is lost, until `release` is called. */
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

  /** Every successful call must be followed by `#release`. */
  async #acquire(picture: Picture): Promise<RfbLink> {
    this.#users++
    clearTimeout(this.#idle)
    try {
      const link = await this.#links.get()
      if (picture === 'current' && !link.isCurrent) await this.#answer(link, link.wake())
      return link
    } catch (error) {
      this.#release()
      throw asMachineError(error)
    }
  }

  #release(): void {
    this.#followedUntilMs = performance.now() + pauseAfterMs
    if (--this.#users === 0) this.#restLater()
  }

  #restLater(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#rest(), pauseAfterMs).unref()
  }

  /** Whether somebody else than those who take samples may look again soon. */
  get #isFollowed(): boolean {
    return this.#users > 0 || performance.now() < this.#followedUntilMs
  }

  #rest(): void {
    clearTimeout(this.#idle)
    this.#links.current?.rest()
    this.#idle = setTimeout(() => this.#links.release(), dropAfterMs).unref()
  }

  /** Replaces a link that does not answer in time, so that one slow moment does not make the screen unusable. */
  async #answer<T>(link: RfbLink, answer: Promise<T>): Promise<T> {
    try {
      return await withTimeout(answer)
    } catch (error) {
      this.#links.replace(link, error)
      throw error
    }
  }

  async #open(stream: Duplex): Promise<RfbLink> {
    try {
      const listener = {
        onChange: (rects: readonly Damage[], frame: Frame) => this.#onChange(rects, frame),
        clipboard: this.#clipboard,
        nudge: this.#nudge,
      }
      return await withTimeout(RfbLink.open(stream, listener, this.#limits))
    } catch (error) {
      stream.destroy()
      this.#judge(error)
      throw error
    }
  }

  async #judged(closed: Promise<Error>): Promise<Error> {
    const end = await closed
    this.#judge(end)
    return end
  }

  #judge(end: unknown): void {
    if (end instanceof RfbError && end.code === 'LIMIT') this.#penalty.impose(end)
  }

  #onChange(rects: readonly Damage[], frame: Frame): void {
    if (rects.length > 0) {
      this.#version++
      if (!this.#isFollowed) this.#rest()
    }
    this.#log.add(rects)
    this.#settleDetector.changed(rects)
    this.#onEachChange(rects)
    for (const watcher of this.#watchers) watcher(rects, frame)
  }
}

function copy(pixels: Uint8Array, memory: Uint8Array<ArrayBuffer> | undefined): Uint8Array<ArrayBuffer> {
  if (memory?.length !== pixels.length) return new Uint8Array(pixels)
  memory.set(pixels)
  return memory
}

/** Tells callers what is wrong with the screen of the machine. */
function asMachineError(error: unknown): unknown {
  if (!(error instanceof RfbError)) return error
  const message = `The screen of the machine cannot be used: ${error.message}.`
  return new MachineError('MACHINE_FAILED', message, { cause: error })
}
