import type { RoomMessage } from '@sandglass/protocol'
import { channel, encodeClipboard, encodeInput, type Frame, parseClipboard } from '@sandglass/wire/frames'
import { readHere, writeHere } from './clipboard.ts'
import { ClipboardSharing } from './clipboard-sharing.ts'
import type { Conversation } from './connecting/conversation.ts'
import { Keeper } from './connecting/keeper.ts'
import { lost } from './connecting/refusal.ts'
import { renewalDelayMs } from './connecting/renewal.ts'
import { Cursor } from './cursor.ts'
import type { Hand, Move } from './input/hand.ts'
import { keysymOf } from './input/keysyms.ts'
import { Pointing } from './input/pointing.ts'
import { Typing } from './input/typing.ts'
import { Announcer, type LiveEvents, type LiveLease, type LiveState } from './live-events.ts'
import type { LiveOptions } from './live-options.ts'
import { Measuring } from './measuring.ts'
import { Picture } from './picture/picture.ts'
import { Screen } from './picture/screen.ts'
import { canDrawVideo } from './picture/video.ts'
import { Stage } from './stage.ts'

const nobody: LiveLease = { number: 0, holder: { kind: 'nobody' }, isMine: false }

/** The screen of a sandbox within an element of a page, and the hands of whoever sits there. */
export class LiveView {
  readonly #stage: Stage
  readonly #screen: Screen
  readonly #cursor: Cursor
  readonly #typing: Typing
  readonly #clipboard: ClipboardSharing
  readonly #keeper: Keeper
  readonly #announcer = new Announcer()
  readonly #closing = new AbortController()
  #conversation: Conversation | undefined
  #state: LiveState = { kind: 'connecting' }
  #lease = nobody
  #renewal: ReturnType<typeof setTimeout> | undefined

  constructor({ element, connectDetails, freshDetails, name = '', video = true }: LiveOptions) {
    const { signal } = this.#closing
    this.#stage = new Stage(element)
    this.#cursor = new Cursor(this.#stage)
    this.#screen = new Screen(this.#stage.canvas, () => this.#onSize())
    const hand = this.#hand()
    this.#clipboard = new ClipboardSharing(
      {
        scope: () => this.#scope,
        hasControl: () => this.#lease.isMine,
        send: text => this.#conversation?.send(encodeClipboard(text)),
      },
      signal,
    )
    this.#typing = new Typing(
      this.#stage.keyboard,
      hand,
      {
        mayPaste: () => this.#clipboard.maySend,
        onPaste: text => this.#clipboard.send(text),
        onLeave: () => this.#announcer.tell('leave', {}),
      },
      signal,
    )
    new Pointing(this.#stage, hand, (x, y) => this.#cursor.moved(x, y), signal)
    this.#keeper = new Keeper({
      connectDetails,
      freshDetails,
      name,
      video: () => video && canDrawVideo(),
      onConnected: conversation => this.#begin(conversation),
      onLost: ({ message }, attempt) => this.#end({ kind: 'reconnecting', message, attempt }),
      onEnded: ({ code, message }) => this.#end({ kind: 'ended', code, message }),
    })
  }

  get state(): LiveState {
    return this.#state
  }

  get lease(): LiveLease {
    return this.#lease
  }

  /** The picture; it can be drawn from, as for a thumbnail. */
  get canvas(): HTMLCanvasElement {
    return this.#stage.canvas
  }

  /** Listens to an event; what is answered ends that. */
  on<Name extends keyof LiveEvents>(name: Name, listener: (event: LiveEvents[Name]) => void): () => void {
    return this.#announcer.on(name, listener)
  }

  /** Asks for the control. With `force` it is taken from another person, for which the token needs that scope. */
  take({ force = false } = {}): void {
    this.#conversation?.say({ kind: 'take', force })
  }

  /** The agent has the control again. */
  handBack(): void {
    if (!this.#lease.isMine) return
    this.#typing.releaseAll()
    this.#conversation?.say({ kind: 'handBack' })
  }

  /** Gives the control to who asked for it, or does not. */
  answer(viewer: string, grant: boolean): void {
    this.#conversation?.say({ kind: 'answer', viewer, grant })
  }

  /** Presses and lets go of a key by its name in KeyboardEvent, such as 'Enter', 'F5' or 'é', with others held meanwhile. */
  sendKey(key: string, held: readonly string[] = []): void {
    const keysyms = [...held, key].map(name => keysymOf({ key: name, code: '', location: 0 }))
    const known = keysyms.filter(keysym => keysym !== undefined)
    if (known.length < keysyms.length) throw new RangeError(`There is no key ${[...held, key].join('+')}.`)
    for (const keysym of known) this.#do({ type: 'key', keysym, isDown: true })
    for (const keysym of known.reverse()) this.#do({ type: 'key', keysym, isDown: false })
  }

  /** Types a text as it is. */
  sendText(text: string): void {
    this.#do({ type: 'text', text })
  }

  /** Puts a text into the machine's clipboard: this one, or that of this computer's. False where that may not be. */
  async paste(text?: string): Promise<boolean> {
    const content = text ?? (await readHere())
    if (content === undefined || !this.#clipboard.maySend) return false
    this.#clipboard.send(content)
    return true
  }

  /** Puts what is in the machine's clipboard into that of this computer. False where there is nothing, or it may not be. */
  async copy(): Promise<boolean> {
    const { text } = this.#clipboard
    return text !== undefined && (await writeHere(text))
  }

  /** From now on keys go to the machine. */
  focus(): void {
    this.#stage.focus()
  }

  close(): void {
    if (this.#closing.signal.aborted) return
    this.#keeper.close()
    this.#end({ kind: 'ended', code: 'live.CLOSED', message: 'The view was closed.' })
    this.#closing.abort()
    this.#stage.close()
  }

  get #scope() {
    return this.#state.kind === 'live' ? this.#state.scope : []
  }

  #begin(conversation: Conversation) {
    const { welcome, link } = conversation
    this.#conversation = conversation
    const measuring = new Measuring(conversation, figures => this.#announcer.tell('statistics', figures))
    const picture = new Picture(this.#screen, {
      send: bytes => conversation.send(bytes),
      onDrawn: () => measuring.frameDrawn(),
      onBroken: () => conversation.fail(lost('The service sent a picture that is none.')),
    })
    this.#stopParts = () => {
      measuring.close()
      picture.close()
    }
    this.#setState({ kind: 'live', transport: link.transport, viewer: welcome.viewer, scope: welcome.scope })
    this.#renewBefore(welcome.expiresAt)
    const receivers: Readonly<Record<number, (frame: Frame) => void>> = {
      [channel.picture]: frame => picture.receive(frame),
      [channel.cursor]: frame => this.#cursor.receive(frame),
      [channel.statistics]: frame => measuring.receive(frame),
      [channel.clipboard]: frame => this.#onClipboard(parseClipboard(frame)),
    }
    return {
      onFrame: (frame: Frame) => receivers[frame.channel]?.(frame),
      onMessage: (message: RoomMessage) => this.#onMessage(message),
    }
  }

  /** Ends what belongs to the connection of now. */
  #stopParts = () => {}

  #end(state: LiveState): void {
    clearTimeout(this.#renewal)
    this.#stopParts()
    this.#conversation = undefined
    this.#setLease(nobody)
    this.#setState(state)
  }

  #onMessage(message: RoomMessage): void {
    if (message.kind === 'lease') this.#onLease(message)
    else if (message.kind === 'asked') this.#announcer.tell('asked', message)
    else if (message.kind === 'refused') this.#announcer.tell('refused', message)
    else if (message.kind === 'machine') this.#announcer.tell('machine', message)
    else if (message.kind === 'token') {
      this.#keeper.renew(message.token)
      this.#renewBefore(message.expiresAt)
      if (this.#state.kind === 'live') this.#setState({ ...this.#state, scope: message.scope })
    }
  }

  #onLease({ number, holder }: Extract<RoomMessage, { kind: 'lease' }>): void {
    const viewer = this.#state.kind === 'live' ? this.#state.viewer : undefined
    const isMine = holder.kind === 'person' && holder.viewer === viewer
    this.#setLease({ number, holder, isMine })
    if (!isMine) return
    this.#stage.focus()
    void this.#clipboard.bring()
  }

  #onClipboard(text: string): void {
    this.#clipboard.fromMachine(text)
    this.#announcer.tell('clipboard', { text })
  }

  #onSize(): void {
    const { width, height } = this.#screen
    this.#stage.fit()
    this.#announcer.tell('size', { width, height })
  }

  #renewBefore(expiresAt: string): void {
    clearTimeout(this.#renewal)
    const renew = () => this.#conversation?.say({ kind: 'renew' })
    this.#renewal = setTimeout(renew, renewalDelayMs(expiresAt, Date.now()))
  }

  #hand(): Hand {
    const hasControl = () => this.#lease.isMine
    return {
      get hasControl() {
        return hasControl()
      },
      do: move => this.#do(move),
    }
  }

  #do(move: Move): void {
    if (this.#lease.isMine) this.#conversation?.send(encodeInput({ ...move, lease: this.#lease.number }))
  }

  #setLease(lease: LiveLease): void {
    this.#lease = lease
    this.#cursor.setControl(lease.isMine)
    this.#announcer.tell('lease', lease)
  }

  #setState(state: LiveState): void {
    this.#state = state
    this.#announcer.tell('state', state)
  }
}
