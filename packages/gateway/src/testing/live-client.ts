import type { Duplex } from 'node:stream'
import { RoomMessage } from '@sandglass/protocol'
import {
  type CursorFrame,
  channel,
  encodeClipboard,
  encodeControl,
  encodeInput,
  encodePictureAnswer,
  encodeStatistics,
  type Frame,
  FrameStream,
  type InputFrame,
  PixelCanvas,
  parseClipboard,
  parseControl,
  parseCursor,
  parsePicture,
  parseStatistics,
} from '@sandglass/wire/frames'

type Kind = RoomMessage['kind']
type Said<K extends Kind> = Extract<RoomMessage, { kind: K }>
/** An input frame whose lease number defaults to the current one. */
type Doing = InputFrame extends infer F
  ? F extends InputFrame
    ? Omit<F, 'lease'> & { lease?: number }
    : never
  : never

/** How often conditions are checked that no frame announces. */
const pollEveryMs = 20

export interface HelloOf {
  readonly room: string
  readonly token: string
  readonly name?: string
  readonly video?: boolean
}

/** A viewer for tests, over any transport. It draws, acknowledges, and records the messages that it receives. */
export class LiveClient {
  readonly stream: Duplex
  readonly messages: RoomMessage[] = []
  readonly cursors: CursorFrame[] = []
  readonly clipboards: string[] = []
  readonly #frames = new FrameStream()
  readonly #waiting = new Set<() => void>()
  canvas: PixelCanvas | undefined
  pictures = 0
  /** How many of the pictures arrived as video. */
  videos = 0
  bytes = 0
  isClosed = false
  /** Whether it acknowledges what it has drawn and answers pings. */
  isResponsive = true

  constructor(stream: Duplex) {
    this.stream = stream
    stream.on('data', (chunk: Uint8Array) => {
      this.bytes += chunk.length
      for (const frame of this.#frames.receive(chunk)) this.#take(frame)
      this.#wake()
    })
    stream.on('error', () => {})
    stream.on('close', () => {
      this.isClosed = true
      this.#wake()
    })
  }

  hello({ room, token, name = 'Ada', video = false }: HelloOf): void {
    this.say({ kind: 'hello', version: 1, room, token, name, video })
  }

  say(message: { readonly kind: string; readonly [field: string]: unknown }): void {
    this.stream.write(encodeControl(message))
  }

  do(doing: Doing): void {
    this.stream.write(encodeInput({ lease: this.lease?.number ?? 0, ...doing } as InputFrame))
  }

  paste(text: string): void {
    this.stream.write(encodeClipboard(text))
  }

  get lease(): Said<'lease'> | undefined {
    return this.last('lease')
  }

  get viewer(): string {
    return this.last('welcome')?.viewer ?? ''
  }

  last<K extends Kind>(kind: K): Said<K> | undefined {
    return this.messages.findLast((message): message is Said<K> => message.kind === kind)
  }

  /** Resolves with the result of the function once it is truthy. */
  async until<T>(find: () => T | undefined | false, timeoutMs = 120_000): Promise<T> {
    const endMs = performance.now() + timeoutMs
    for (;;) {
      const found = find()
      if (found !== undefined && found !== false) return found
      const leftMs = endMs - performance.now()
      if (leftMs <= 0)
        throw new Error(`${find} did not hold within ${timeoutMs} ms: ${this.#recentMessages()}`)
      await this.#nextEvent(Math.min(leftMs, pollEveryMs))
    }
  }

  message<K extends Kind>(kind: K): Promise<Said<K>> {
    return this.until(() => this.last(kind))
  }

  /** Resolves when this viewer has control. */
  async takeControl(): Promise<void> {
    this.say({ kind: 'take' })
    await this.until(() => this.holds)
  }

  get holds(): boolean {
    const holder = this.lease?.holder
    return holder?.kind === 'person' && holder.viewer === this.viewer
  }

  /** Resolves with the goodbye once the connection is closed. */
  async goodbye(): Promise<Said<'goodbye'>> {
    await this.until(() => this.isClosed)
    return this.message('goodbye')
  }

  close(): void {
    this.stream.destroy()
  }

  #take(frame: Frame): void {
    switch (frame.channel) {
      case channel.control:
        this.messages.push(RoomMessage.parse(parseControl(frame)))
        return
      case channel.picture:
        this.#draw(frame)
        return
      case channel.cursor:
        this.cursors.push(parseCursor(frame))
        return
      case channel.clipboard:
        this.clipboards.push(parseClipboard(frame))
        return
      case channel.statistics: {
        const { type, number } = parseStatistics(frame)
        if (type === 'ping' && this.isResponsive)
          this.stream.write(encodeStatistics({ type: 'pong', number }))
        return
      }
      default:
        throw new Error(`a frame came on channel ${frame.channel}`)
    }
  }

  #draw(frame: Frame): void {
    const picture = parsePicture(frame)
    this.pictures++
    if (picture.type === 'video') this.videos++
    if (picture.type === 'tiles') {
      const { width, height, ops } = picture
      if (this.canvas?.width !== width || this.canvas.height !== height)
        this.canvas = new PixelCanvas(width, height)
      this.canvas.apply(ops)
    }
    if (this.isResponsive)
      this.stream.write(encodePictureAnswer({ type: 'acknowledge', sequence: picture.sequence }))
  }

  #nextEvent(withinMs: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(done, withinMs)
      const waiting = this.#waiting
      waiting.add(done)
      function done() {
        clearTimeout(timer)
        waiting.delete(done)
        resolve()
      }
    })
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done()
  }

  #recentMessages(): string {
    return JSON.stringify(this.messages.slice(-5))
  }
}
