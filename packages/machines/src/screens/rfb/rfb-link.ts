import type { Duplex } from 'node:stream'
import {
  enableContinuousUpdates,
  type Framebuffer,
  fenceRequest,
  framebufferUpdateRequest,
  pointerEvent,
  RfbClient,
  RfbError,
  type RfbEvent,
  type WorkBudget,
} from '@sandglass/wire/rfb'
import type { Point, Rect } from '../../contract/rect.ts'
import type { CursorImage, Damage, Frame, Watcher } from '../../contract/screen.ts'
import { PacedChunks } from '../paced-chunks.ts'
import { TurnWriter } from '../turn-writer.ts'
import { FirstPixels } from './first-pixels.ts'
import { Nudges } from './nudges.ts'
import type { RfbClipboard } from './rfb-clipboard.ts'

export interface LinkListener {
  readonly onChange: Watcher
  readonly clipboard: RfbClipboard
  /** Sent now and then while updates are enabled, for a server that has to be kept attentive; see {@link Nudges}. */
  readonly nudge?: Uint8Array | undefined
}

/** What a server may cause: how many pixels its screen may have, and how much work all its connections. */
export interface ServerLimits {
  readonly maxPixels: number
  readonly budget: WorkBudget
}

/** More than a text for the clipboard and everything else that is sent at once. A server that reads less has hung. */
const maxUnsentBytes = 16 * 1024 * 1024

const firstPixel: Rect = { x: 0, y: 0, width: 1, height: 1 }

/**
 * One connection to the screen of a machine. The server runs inside the machine and is not trusted; the worst it can
 * do is make this connection fail.
 */
export class RfbLink {
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<Error>
  readonly #closing = Promise.withResolvers<Error>()
  readonly #stream: Duplex
  readonly #writer: TurnWriter
  readonly #listener: LinkListener
  readonly #client: RfbClient
  readonly #chunks: PacedChunks
  readonly #fences = new Map<number, PromiseWithResolvers<void>>()
  readonly #features = new Set<string>()
  readonly #whole = Promise.withResolvers<void>()
  #caughtUp: PromiseWithResolvers<void> | undefined
  /**
   * Resolves when the picture has caught up with what changed while updates were paused; undefined while they are
   * paused.
   */
  #awake: Promise<void> | undefined = Promise.resolve()
  #isCurrent = false
  #lastFence = 0
  #isWatching = false
  #seen: Framebuffer | undefined
  readonly #firstPixels = new FirstPixels()
  readonly #nudges: Nudges | undefined
  #pixelsMissing = Number.POSITIVE_INFINITY
  #failure: Error | undefined
  /** The image of the pointer; undefined while the server draws the pointer into the picture itself. */
  #cursor: CursorImage | undefined
  /** The last reported position of the pointer. */
  #pointer: Point = { x: 0, y: 0 }
  /** How many of our movements the server has not processed yet. */
  #movements = 0

  private constructor(stream: Duplex, listener: LinkListener, { maxPixels, budget }: ServerLimits) {
    this.#stream = stream
    this.#listener = listener
    this.closed = this.#closing.promise
    this.#writer = new TurnWriter(stream, maxUnsentBytes, () =>
      this.#fail(new RfbError('LIMIT', 'the server does not read what it is sent')),
    )
    this.#client = new RfbClient({
      maxPixels,
      budget,
      send: bytes => this.#writer.send(bytes),
      listener: event => this.#on(event),
    })
    const { nudge } = listener
    this.#nudges = nudge && new Nudges(() => this.#writer.send(nudge))
    listener.clipboard.connected(bytes => {
      budget.bytes(bytes.length)
      this.#writer.send(bytes)
    })
    this.#chunks = new PacedChunks(stream, this.#client, error =>
      this.#fail(error instanceof Error ? error : new Error(String(error))),
    )
    stream.on('error', error => this.#fail(error))
    const onEnd = () => this.#fail(new RfbError('TRUNCATED', 'the screen closed the connection'))
    stream.on('end', onEnd).on('close', onEnd)
  }

  /** Resolves once the whole picture has arrived; updates are enabled then. */
  static async open(stream: Duplex, listener: LinkListener, limits: ServerLimits): Promise<RfbLink> {
    const link = new RfbLink(stream, listener, limits)
    await link.#whole.promise
    link.#isCurrent = true
    return link
  }

  /**
   * Whether the framebuffer follows the screen. It does not while updates are paused, nor until what changed in the
   * meantime has arrived.
   */
  get isCurrent(): boolean {
    return this.#isCurrent
  }

  /** Pauses updates. The server remembers which regions it did not send. */
  rest(): void {
    this.#isCurrent = false
    this.#awake = undefined
    this.#watch(false)
  }

  /** Resolves when the framebuffer shows the current screen. Concurrent callers share one request. */
  wake(): Promise<void> {
    this.#awake ??= this.#wake()
    return this.#awake
  }

  /** Resolves when the framebuffer shows what was on the screen at the time of the call, although it is current already. */
  async refresh(): Promise<void> {
    if (!this.#awake) return await this.wake()
    // What was requested before may be answered with what was on the screen before.
    await this.#awake
    this.#awake = this.#wake()
    await this.#awake
  }

  get framebuffer(): Framebuffer {
    return this.#client.framebuffer
  }

  /** The current screen. The pixels are those of the framebuffer, not a copy. */
  get frame(): Frame {
    const { width, height, pixels } = this.framebuffer
    return { width, height, pixels, pointer: { x: this.#pointer.x, y: this.#pointer.y, image: this.#cursor } }
  }

  get wholeScreen(): Rect {
    const { width, height } = this.framebuffer
    return { x: 0, y: 0, width, height }
  }

  /**
   * Resolves when the pointer has moved. Once a server learns the position from us, it leaves drawing the pointer to
   * us.
   */
  moveTo(to: Point): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    this.#pointer = to
    this.#listener.onChange([], this.frame)
    this.#writer.send(pointerEvent(to.x, to.y, 0))
    this.#movements++
    return this.sync().finally(() => this.#movements--)
  }

  /** Resolves when the server has processed everything that was sent before, if it supports fences. */
  sync(): Promise<void> {
    return this.#features.has('fence') ? this.#fence() : Promise.resolve()
  }

  /** Lets the server look for changes at once, if it would otherwise do so later. */
  nudge(): void {
    this.#nudges?.now()
  }

  close(): void {
    this.#fail(new RfbError('TRUNCATED', 'the connection to the screen was closed'))
  }

  #watch(isWatching: boolean): void {
    if (this.#isWatching === isWatching) return
    this.#isWatching = isWatching
    if (isWatching) this.#nudges?.start()
    else this.#nudges?.stop()
    if (this.#features.has('continuous-updates'))
      this.#writer.send(enableContinuousUpdates(isWatching, this.wholeScreen))
    else if (isWatching) this.#request(this.wholeScreen, true)
  }

  /** A pixel that is requested non-incrementally arrives together with everything that changed before. */
  async #wake(): Promise<void> {
    if (this.#failure) throw this.#failure
    this.#watch(true)
    const caughtUp = this.#catchUp()
    this.#request(this.wholeScreen, true)
    this.#request(firstPixel, false)
    await caughtUp
  }

  #catchUp(): Promise<void> {
    this.#isCurrent = false
    this.#caughtUp ??= Promise.withResolvers()
    return this.#caughtUp.promise
  }

  #fence(): Promise<void> {
    const number = (this.#lastFence + 1) & 0xff
    this.#lastFence = number
    const fence = Promise.withResolvers<void>()
    this.#fences.set(number, fence)
    this.#writer.send(fenceRequest(0, Uint8Array.of(number)))
    return fence.promise
  }

  #on(event: RfbEvent): void {
    this.#listener.clipboard.receive(event)
    switch (event.type) {
      case 'ready':
        this.#seen = this.#client.framebuffer
        this.#pixelsMissing = event.width * event.height
        this.#request(this.wholeScreen, false)
        return
      case 'supported':
        this.#features.add(event.feature)
        return
      case 'update':
        this.#onUpdate(event.rects)
        return
      case 'resize':
        this.#onResize()
        return
      case 'cursor':
        this.#cursor = cursorOf(event)
        this.#listener.onChange([], this.frame)
        return
      case 'pointer':
        // It was sent before the server knew of our movement, and says where the pointer was until then.
        if (this.#movements > 0) return
        this.#pointer = event
        this.#listener.onChange([], this.frame)
        return
      case 'fence':
        this.#answer(event.payload[0] ?? 0)
        return
      default:
    }
  }

  /** The server also sends a resize with each whole picture, in which case the size has not changed. */
  #onResize(): void {
    if (this.#client.framebuffer === this.#seen) return
    this.#seen = this.#client.framebuffer
    if (this.#pixelsMissing > 0) this.#pixelsMissing = this.framebuffer.width * this.framebuffer.height
    else if (this.#isCurrent) {
      // What is new is black until its content arrives, which must not be taken for the screen.
      this.#awake = this.#catchUp()
      this.#awake.catch(() => {})
    }
    if (this.#isWatching && this.#features.has('continuous-updates'))
      this.#writer.send(enableContinuousUpdates(true, this.wholeScreen))
    this.#request(this.wholeScreen, false)
  }

  #onUpdate(rects: readonly Damage[]): void {
    if (rects.length > 0 && !this.#firstPixels.isRepeated(rects, this.framebuffer))
      this.#listener.onChange(rects, this.frame)
    if (rects.some(({ x, y }) => x === 0 && y === 0)) {
      if (this.#caughtUp) this.#isCurrent = this.#isWatching
      this.#caughtUp?.resolve()
      this.#caughtUp = undefined
    }
    const isFirst = this.#pixelsMissing > 0
    for (const { width, height } of rects) this.#pixelsMissing -= width * height
    if (isFirst && this.#pixelsMissing > 0) this.#request(this.wholeScreen, true)
    else if (isFirst) {
      this.#watch(true)
      this.#whole.resolve()
    } else if (this.#isWatching && !this.#features.has('continuous-updates'))
      this.#request(this.wholeScreen, true)
  }

  #answer(fence: number): void {
    this.#fences.get(fence)?.resolve()
    this.#fences.delete(fence)
  }

  #request(rect: Rect, incremental: boolean): void {
    this.#writer.send(framebufferUpdateRequest(rect, incremental))
  }

  #fail(error: Error): void {
    if (this.#failure) return
    this.#failure = error
    this.#writer.end()
    this.#chunks.end()
    this.#nudges?.stop()
    this.#stream.destroy()
    this.#whole.reject(error)
    this.#caughtUp?.reject(error)
    // The server may not have processed what was sent before, so callers must not take it for done.
    for (const fence of this.#fences.values()) fence.reject(error)
    this.#fences.clear()
    this.#isCurrent = false
    this.#closing.resolve(error)
  }
}

function cursorOf({
  width,
  height,
  hotX,
  hotY,
  rgba,
}: Extract<RfbEvent, { type: 'cursor' }>): CursorImage | undefined {
  return width * height === 0 ? undefined : { width, height, hotspot: { x: hotX, y: hotY }, rgba }
}
