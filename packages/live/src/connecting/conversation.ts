import type { RoomMessage, ViewerMessage } from '@sandglass/protocol'
import { channel, encodeControl, type Frame, FrameStream, parseControl } from '@sandglass/wire/frames'
import type { Link } from './link.ts'
import { lost, Refusal } from './refusal.ts'
import { readRoomMessage } from './room-message.ts'

/** The first message of a connection; it carries the token. */
export type Hello = Extract<ViewerMessage, { kind: 'hello' }>
/** The service's reply to `hello`: the viewer is accepted. */
export type Welcome = Extract<RoomMessage, { kind: 'welcome' }>

/** What a connection delivers after its welcome. */
export interface Listener {
  /** Called with every frame except those of the control channel. */
  onFrame(frame: Frame): void
  onMessage(message: RoomMessage): void
  /** Called when the connection ends, unless by `close`. */
  onEnd(why: Refusal): void
}

/** An accepted connection: frames over one link, from `welcome` to its end. */
export class Conversation {
  readonly link: Link
  readonly welcome: Welcome
  /** The bytes received since the welcome. */
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

  /** Sends `hello` and waits for `welcome`. Rejects with the reason if the service refuses. */
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
          end(
            lost(
              `The service sent data that could not be read: ${error instanceof Error ? error.message : error}.`,
            ),
          )
        }
      },
      onClose: () => end(lost('The connection was lost.')),
    })
    const giveUp = () => conversation ?? end(lost('The connection attempt was cancelled.'))
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    link.send(encodeControl(hello))
    return promise
  }

  /** Starts delivery: first everything that arrived since the welcome, then everything else as it arrives. */
  listen(listener: Listener): void {
    this.#listener = listener
    for (const deliver of this.#early.splice(0)) deliver(listener)
  }

  send(bytes: Uint8Array): void {
    this.link.send(bytes)
  }

  say(message: Exclude<ViewerMessage, Hello>): void {
    this.link.send(encodeControl(message))
  }

  /** Ends the connection as if the link had been lost, so that another is made. */
  fail(why: Refusal): void {
    this.link.close()
    this.#listener.onEnd(why)
  }

  close(): void {
    this.link.close()
  }
}
