import type { RoomMessage, ViewerMessage } from '@sandglass/protocol'
import { channel, encodeControl, type Frame, FrameStream, parseControl } from '@sandglass/wire/frames'
import type { Link } from './link.ts'
import { lost, Refusal } from './refusal.ts'
import { readRoomMessage } from './room-message.ts'

export type Hello = Extract<ViewerMessage, { kind: 'hello' }>
export type Welcome = Extract<RoomMessage, { kind: 'welcome' }>

export interface Listener {
  /** A frame of any channel but control. */
  onFrame(frame: Frame): void
  onMessage(message: RoomMessage): void
  /** It is over, and not by `close`. */
  onEnd(why: Refusal): void
}

/** Frames over one link, from `welcome` to the end. */
export class Conversation {
  readonly link: Link
  readonly welcome: Welcome
  /** All that came since the welcome. */
  receivedBytes = 0
  readonly #early: ((listener: Listener) => void)[] = []
  #listener: Listener = {
    onFrame: frame => this.#early.push(listener => listener.onFrame(frame)),
    onMessage: message => this.#early.push(listener => listener.onMessage(message)),
    onEnd: why => this.#early.push(listener => listener.onEnd(why)),
  }

  private constructor(link: Link, welcome: Welcome) {
    this.link = link
    this.welcome = welcome
  }

  /** Says `hello`; rejects with what the service said instead of `welcome`. */
  static greet(link: Link, hello: Hello, signal: AbortSignal): Promise<Conversation> {
    const { promise, resolve, reject } = Promise.withResolvers<Conversation>()
    let conversation: Conversation | undefined
    const end = (why: Refusal) => {
      if (conversation) return conversation.fail(why)
      link.close()
      reject(why)
    }
    const onFrame = (frame: Frame) => {
      if (frame.channel !== channel.control) {
        if (conversation) conversation.#listener.onFrame(frame)
        return
      }
      const message = readRoomMessage(parseControl(frame))
      if (message?.kind === 'goodbye') end(new Refusal(message.code, message.message, message.isFinal))
      else if (message?.kind === 'welcome') {
        conversation = new Conversation(link, message)
        resolve(conversation)
      } else if (message && conversation) conversation.#listener.onMessage(message)
    }
    const frames = new FrameStream()
    link.receive({
      onBytes: bytes => {
        if (conversation) conversation.receivedBytes += bytes.length
        try {
          for (const frame of frames.receive(bytes)) onFrame(frame)
        } catch (error) {
          end(lost(`The service sent what is no frame: ${error instanceof Error ? error.message : error}.`))
        }
      },
      onClose: () => end(lost('The connection was lost.')),
    })
    const giveUp = () => conversation ?? end(lost('Nobody waits for this connection any more.'))
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    link.send(encodeControl(hello))
    return promise
  }

  /** What came since the welcome is told now, and all else as it comes. */
  listen(listener: Listener): void {
    this.#listener = listener
    for (const tell of this.#early.splice(0)) tell(listener)
  }

  send(bytes: Uint8Array): void {
    this.link.send(bytes)
  }

  say(message: Exclude<ViewerMessage, Hello>): void {
    this.link.send(encodeControl(message))
  }

  /** Ends it as if the link were lost. */
  fail(why: Refusal): void {
    this.link.close()
    this.#listener.onEnd(why)
  }

  close(): void {
    this.link.close()
  }
}
