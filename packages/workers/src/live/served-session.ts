import { finished } from 'node:stream/promises'
import type { PictureFeed } from '@sandglass/gateway/picture'
import { ScreenSession } from '@sandglass/gateway/session'
import type { Screen } from '@sandglass/machines/contract'
import type { Channel } from '@sandglass/rpc'
import { FrameError } from '@sandglass/wire/frames'
import { FrameJoiner } from './frame-joiner.ts'
import { encodeFromSession, type FromSession, textOf } from './from-session.ts'
import { Outbox } from './outbox.ts'
import { parseToSession, type ToSession } from './to-session.ts'

/** More than all viewers of a room can have unacknowledged while the front reads. */
const maxUntakenBytes = 64 * 1024 * 1024

/** A session of a room in another process with a screen of this one. */
export class ServedSession {
  readonly #channel: Channel
  readonly #outbox: Outbox
  readonly #joiner = new FrameJoiner(joined => this.#tell({ kind: 'frame', ...joined }))
  readonly #session: ScreenSession
  readonly #feeds = new Map<number, PictureFeed>()
  /** The number of inputs that arrived, in 32 bits. The front counts them as well. */
  #inputs = 0
  #closed: Promise<void> | undefined

  constructor(screen: Screen, channel: Channel) {
    this.#channel = channel
    this.#outbox = new Outbox(channel, maxUntakenBytes)
    this.#session = new ScreenSession(screen, {
      onCopy: text => this.#tell({ kind: 'copied', text }),
      onFault: error => this.#tell({ kind: 'fault', text: textOf(error) }),
      onPictureFault: error => this.#tell({ kind: 'pictureFault', text: textOf(error) }),
      onFailure: error => this.#tell({ kind: 'failure', text: textOf(error) }),
      onIdle: () => this.#tellIdle(),
    })
    channel.on('data', (message: Buffer) => this.#receive(message))
    // The front waits for what it released last, and therefore for this end.
    channel.once('end', () => void this.#close().then(() => channel.end()))
    channel.once('close', () => void this.#close())
  }

  /** Settles when it is over; fails if the front is gone or sent what it must not. */
  async over(): Promise<void> {
    await finished(this.#channel)
  }

  #close(): Promise<void> {
    this.#closed ??= this.#session.close()
    return this.#closed
  }

  #receive(bytes: Buffer): void {
    try {
      this.#do(parseToSession(bytes))
    } catch (error) {
      // Only this session ends, not the connection of the two processes.
      this.#channel.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #do(message: ToSession): void {
    if (!('viewer' in message)) {
      this.#apply(message)
      return
    }
    const { kind, viewer } = message
    if (kind === 'attach') this.#attach(viewer, message.takesVideo)
    else if (kind === 'acknowledge') this.#feedOf(viewer).acknowledge(message.sequence)
    else if (kind === 'pointed') this.#feedOf(viewer).pointed(message.x, message.y)
    else if (kind === 'refresh') this.#feedOf(viewer).refresh()
    else {
      this.#feedOf(viewer).close()
      this.#feeds.delete(viewer)
    }
  }

  #apply(message: Extract<ToSession, { kind: 'input' | 'paste' | 'release' }>): void {
    this.#inputs = (this.#inputs + 1) >>> 0
    const number = this.#inputs
    if (message.kind === 'input') this.#session.do(message.input)
    else if (message.kind === 'paste') this.#session.paste(message.text)
    else void this.#session.release().then(() => this.#tell({ kind: 'released', input: number }))
    // Some input has no effect, such as that of a second finger.
    if (!this.#session.isBusy) this.#tellIdle()
  }

  #attach(viewer: number, takesVideo: boolean): void {
    if (this.#feeds.has(viewer)) throw new FrameError(`viewer ${viewer} is attached already`)
    const send = (frame: Uint8Array) => this.#joiner.add(viewer, frame)
    this.#feeds.set(viewer, this.#session.picture.attach({ send, takesVideo }))
  }

  #feedOf(viewer: number): PictureFeed {
    const feed = this.#feeds.get(viewer)
    if (!feed) throw new FrameError(`there is no viewer ${viewer}`)
    return feed
  }

  #tellIdle(): void {
    this.#tell({ kind: 'idle', inputs: this.#inputs, isHolding: this.#session.isHolding })
  }

  #tell(message: FromSession): void {
    this.#outbox.send(encodeFromSession(message))
  }
}
