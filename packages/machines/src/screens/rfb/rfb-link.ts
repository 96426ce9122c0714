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
} from '@sandglass/wire/rfb'
import type { Point, Rect } from '../../contract/rect.ts'
import type { CursorImage, Damage, Frame, Watcher } from '../../contract/screen.ts'
import type { RfbClipboard } from './rfb-clipboard.ts'

export interface LinkListener {
  readonly onChange: Watcher
  readonly clipboard: RfbClipboard
}

const firstPixel: Rect = { x: 0, y: 0, width: 1, height: 1 }

/** One connection to a machine's screen. The server is inside a stranger's machine: at worst, this connection fails. */
export class RfbLink {
  /** Settles when there is no connection any more, with the reason. */
  readonly closed: Promise<Error>
  readonly #closing = Promise.withResolvers<Error>()
  readonly #stream: Duplex
  readonly #listener: LinkListener
  readonly #client: RfbClient
  readonly #fences = new Map<number, PromiseWithResolvers<void>>()
  readonly #features = new Set<string>()
  readonly #whole = Promise.withResolvers<void>()
  #caughtUp: PromiseWithResolvers<void> | undefined
  /** Settles when the picture has caught up with what changed during a rest; undefined while it rests. */
  #awake: Promise<void> | undefined = Promise.resolve()
  #isCurrent = false
  #lastFence = 0
  #isWatching = false
  #seen: Framebuffer | undefined
  #pixelsMissing = Number.POSITIVE_INFINITY
  #failure: Error | undefined
  /** What the pointer looks like; undefined while the server draws it into the picture itself. */
  #cursor: CursorImage | undefined
  /** Where the pointer was last told to be. */
  #pointer: Point = { x: 0, y: 0 }

  private constructor(stream: Duplex, listener: LinkListener) {
    this.#stream = stream
    this.#listener = listener
    this.closed = this.#closing.promise
    this.#client = new RfbClient({
      send: bytes => void stream.write(bytes),
      listener: event => this.#on(event),
    })
    listener.clipboard.connected(bytes => void stream.write(bytes))
    stream.on('data', chunk => this.#receive(chunk))
    stream.on('error', error => this.#fail(error))
    const onEnd = () => this.#fail(new RfbError('TRUNCATED', 'the screen closed the connection'))
    stream.on('end', onEnd).on('close', onEnd)
  }

  /** Connected, with the whole picture in hand, and watching. */
  static async open(stream: Duplex, listener: LinkListener): Promise<RfbLink> {
    const link = new RfbLink(stream, listener)
    await link.#whole.promise
    link.#isCurrent = true
    return link
  }

  /** Whether the framebuffer follows the screen: not during a rest, nor until what changed meanwhile has come. */
  get isCurrent(): boolean {
    return this.#isCurrent
  }

  /** The server need not send what changes. It remembers what it did not send. */
  rest(): void {
    this.#isCurrent = false
    this.#awake = undefined
    this.#watch(false)
  }

  /** Settles when the framebuffer shows the screen of now, for all who ask at the same time. */
  wake(): Promise<void> {
    this.#awake ??= this.#wake()
    return this.#awake
  }

  get framebuffer(): Framebuffer {
    return this.#client.framebuffer
  }

  /** The screen as it is now; the pixels are those of the framebuffer. */
  get frame(): Frame {
    const { width, height, pixels } = this.framebuffer
    return { width, height, pixels, pointer: { x: this.#pointer.x, y: this.#pointer.y, image: this.#cursor } }
  }

  get wholeScreen(): Rect {
    const { width, height } = this.framebuffer
    return { x: 0, y: 0, width, height }
  }

  /** Settles when the pointer is there. A server that knows the pointer's place from us leaves drawing it to us. */
  moveTo(to: Point): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    this.#pointer = to
    this.#listener.onChange([], this.frame)
    this.#stream.write(pointerEvent(to.x, to.y, 0))
    return this.sync()
  }

  /** Settles when the server has done all that was sent before, where it can tell. */
  sync(): Promise<void> {
    return this.#features.has('fence') ? this.#fence() : Promise.resolve()
  }

  close(): void {
    this.#fail(new RfbError('TRUNCATED', 'the connection to the screen was closed'))
  }

  #watch(isWatching: boolean): void {
    if (this.#isWatching === isWatching) return
    this.#isWatching = isWatching
    if (this.#features.has('continuous-updates'))
      this.#stream.write(enableContinuousUpdates(isWatching, this.wholeScreen))
    else if (isWatching) this.#request(this.wholeScreen, true)
  }

  /** A pixel that is asked for comes with all that changed before. */
  async #wake(): Promise<void> {
    if (this.#failure) throw this.#failure
    this.#watch(true)
    this.#caughtUp = Promise.withResolvers()
    this.#request(this.wholeScreen, true)
    this.#request(firstPixel, false)
    await this.#caughtUp.promise
    this.#isCurrent = true
  }

  #fence(): Promise<void> {
    const number = (this.#lastFence + 1) & 0xff
    this.#lastFence = number
    const fence = Promise.withResolvers<void>()
    this.#fences.set(number, fence)
    this.#stream.write(fenceRequest(0, Uint8Array.of(number)))
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
        this.#pointer = event
        this.#listener.onChange([], this.frame)
        return
      case 'fence':
        this.#answer(event.payload[0] ?? 0)
        return
      default:
    }
  }

  /** Told with each whole picture as well, where it is none. */
  #onResize(): void {
    if (this.#client.framebuffer === this.#seen) return
    this.#seen = this.#client.framebuffer
    if (this.#isWatching && this.#features.has('continuous-updates'))
      this.#stream.write(enableContinuousUpdates(true, this.wholeScreen))
    this.#request(this.wholeScreen, false)
  }

  #onUpdate(rects: readonly Damage[]): void {
    if (rects.length > 0) this.#listener.onChange(rects, this.frame)
    if (rects.some(({ x, y }) => x === 0 && y === 0)) {
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
    this.#stream.write(framebufferUpdateRequest(rect, incremental))
  }

  #receive(chunk: Uint8Array): void {
    if (this.#failure) return
    try {
      this.#client.receive(chunk)
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #fail(error: Error): void {
    if (this.#failure) return
    this.#failure = error
    this.#stream.destroy()
    this.#whole.reject(error)
    this.#caughtUp?.reject(error)
    // What was sent before may not have been done: whoever waits must not take it for done.
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
