import { ApiError, type LiveScope, type RoomMessage, ViewerMessage } from '@sandglass/protocol'
import {
  channel,
  encodeClipboard,
  type Frame,
  FrameError,
  type InputFrame,
  parseClipboard,
  parseControl,
  parseInput,
  parsePictureAnswer,
} from '@sandglass/wire/frames'
import type { PictureFeed } from '../picture/feed.ts'
import type { RoomPicture } from '../session/session.ts'
import type { Connection } from './connection.ts'
import type { Pass } from './host.ts'
import type { Contender } from './lease.ts'

export type Hello = Extract<ViewerMessage, { kind: 'hello' }>
/** A message from a viewer that was admitted. */
export type ViewerRequest = Exclude<ViewerMessage, Hello>

/** Receives what a viewer does, after it was checked against the viewer's scope. */
export interface ViewerListener {
  /** The clock that tokens expire by. */
  now(): number
  say(viewer: Viewer, request: Exclude<ViewerRequest, { kind: 'renew' }>): void
  input(viewer: Viewer, input: InputFrame): void
  paste(viewer: Viewer, text: string): void
  /** Called when the viewer's rights have changed. */
  changed(viewer: Viewer): void
  left(viewer: Viewer): void
  fault(error: unknown): void
}

/** A person in a room. Each frame is checked against the scope of the pass before it has any effect. */
export class Viewer implements Contender {
  readonly viewer: string
  readonly name: string
  readonly since: Date
  readonly #connection: Connection
  readonly #takesVideo: boolean
  readonly #listener: ViewerListener
  #pass: Pass
  #expiry: NodeJS.Timeout | undefined
  #feed: PictureFeed | undefined

  constructor(id: string, hello: Hello, pass: Pass, connection: Connection, listener: ViewerListener) {
    this.viewer = id
    this.name = hello.name
    this.since = new Date(listener.now())
    this.#takesVideo = hello.video
    this.#connection = connection
    this.#listener = listener
    this.#pass = pass
    this.#scheduleExpiry()
  }

  get person(): string {
    return this.#pass.person
  }

  may(right: LiveScope): boolean {
    return this.#pass.scope.has(right)
  }

  /** Starts to receive frames. Send the viewer's initial messages before this call. */
  begin(): void {
    this.#connection.onEnd = () => {
      clearTimeout(this.#expiry)
      this.detach()
      this.#listener.left(this)
    }
    this.#connection.listen(frame => this.#receive(frame))
  }

  get welcome(): RoomMessage {
    const { scope, expiresAt } = this.#pass
    return {
      kind: 'welcome',
      version: 1,
      viewer: this.viewer,
      scope: [...scope],
      expiresAt: expiresAt.toISOString(),
    }
  }

  say(message: RoomMessage): void {
    this.#connection.say(message)
  }

  get unheardMs(): number {
    return this.#connection.unheardMs
  }

  ping(): void {
    this.#connection.ping()
  }

  attach(picture: RoomPicture): void {
    this.detach()
    if (!this.may('view')) return
    this.#feed = picture.attach({
      send: frame => this.#connection.send(frame),
      takesVideo: this.#takesVideo,
    })
  }

  /** Records that this viewer is moving the pointer there itself, and already draws it there. */
  pointed(x: number, y: number): void {
    this.#feed?.pointed(x, y)
  }

  detach(): void {
    this.#feed?.close()
    this.#feed = undefined
  }

  /** Sends a text that the machine copied. */
  copied(text: string): void {
    if (this.may('clipboard:read')) this.#connection.send(encodeClipboard(text))
  }

  dismiss(reason: ApiError): void {
    this.#connection.goodbye(reason)
  }

  /** Checks that the pass is still valid, and with which rights. */
  async check(): Promise<void> {
    await this.#orDismiss(async () => this.#use(await this.#pass.check()))
  }

  #receive(frame: Frame): void {
    switch (frame.channel) {
      case channel.control:
        this.#onMessage(parseControl(frame))
        return
      case channel.picture: {
        const answer = parsePictureAnswer(frame)
        if (answer.type === 'refresh') this.#feed?.refresh()
        else this.#feed?.acknowledge(answer.sequence)
        return
      }
      case channel.input: {
        const input = parseInput(frame)
        if (this.may('input')) this.#listener.input(this, input)
        return
      }
      case channel.clipboard: {
        const text = parseClipboard(frame)
        if (this.may('clipboard:write')) this.#listener.paste(this, text)
        return
      }
      default:
        throw new FrameError(`a viewer has no channel ${frame.channel}`)
    }
  }

  #onMessage(said: unknown): void {
    const { success, data } = ViewerMessage.safeParse(said)
    if (!success || data.kind === 'hello')
      throw new FrameError('a control message is none that a viewer in a room may send')
    if (data.kind === 'renew') void this.#orDismiss(() => this.#renew(data.token))
    else this.#listener.say(this, data)
  }

  async #renew(brought: string | undefined): Promise<void> {
    const { token, pass } = brought === undefined ? await this.#pass.renew() : await this.#exchange(brought)
    this.#use(pass)
    const scope = [...pass.scope]
    this.say({ kind: 'token', token, expiresAt: pass.expiresAt.toISOString(), scope })
  }

  async #exchange(token: string): Promise<{ token: string; pass: Pass }> {
    return { token, pass: await this.#pass.replace(token) }
  }

  #use(pass: Pass): void {
    if (this.#connection.isOver) return
    this.#pass = pass
    this.#scheduleExpiry()
    this.#listener.changed(this)
  }

  #scheduleExpiry(): void {
    clearTimeout(this.#expiry)
    const leftMs = this.#pass.expiresAt.getTime() - this.#listener.now()
    this.#expiry = setTimeout(() => this.dismiss(new ApiError('live.TOKEN_EXPIRED')), leftMs).unref()
  }

  async #orDismiss(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) this.dismiss(error)
      else this.#listener.fault(error)
    }
  }
}
