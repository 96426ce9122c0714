import type { RoomMessage } from '@sandglass/protocol'
import { channel, encodeClipboard, encodeInput, type Frame, parseClipboard } from '@sandglass/wire/frames'
import { readHere, writeHere } from './clipboard.ts'
import { ClipboardSharing } from './clipboard-sharing.ts'
import type { Conversation } from './connecting/conversation.ts'
import { Reconnector } from './connecting/reconnector.ts'
import { lost } from './connecting/refusal.ts'
import { renewalDelayMs } from './connecting/renewal.ts'
import { Cursor } from './cursor.ts'
import type { Input, InputSink } from './input/input-sink.ts'
import { KeyboardInput } from './input/keyboard-input.ts'
import { keysymOf } from './input/keysyms.ts'
import { Latch } from './input/latch.ts'
import { PointerInput } from './input/pointer-input.ts'
import { LiveEventEmitter, type LiveEvents, type LiveLease, type LiveState } from './live-events.ts'
import type { LiveOptions } from './live-options.ts'
import { Picture } from './picture/picture.ts'
import { Screen } from './picture/screen.ts'
import { canDrawVideo } from './picture/video.ts'
import { Stage } from './stage.ts'
import { StatisticsMeter } from './statistics-meter.ts'

const nobody: LiveLease = { number: 0, holder: { kind: 'nobody' }, isMine: false }

type Said<Kind extends RoomMessage['kind']> = Extract<RoomMessage, { kind: Kind }>

/**
 * The screen of a sandbox inside an element of a page, with input, clipboard and control. {@link connectLive} makes
 * one.
 */
export class LiveView {
  readonly #stage: Stage
  readonly #screen: Screen
  readonly #cursor: Cursor
  readonly #keyboard: KeyboardInput
  readonly #clipboard: ClipboardSharing
  readonly #latch: Latch
  readonly #reconnector: Reconnector
  readonly #events = new LiveEventEmitter()
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
    const sink = this.#inputSink()
    this.#stage.onZoomed = factor => this.#events.emit('zoom', { factor })
    this.#latch = new Latch(sink, keys => this.#events.emit('latched', { keys }))
    this.#clipboard = new ClipboardSharing(
      {
        scope: () => this.#scope,
        hasControl: () => this.#lease.isMine,
        send: text => this.#conversation?.send(encodeClipboard(text)),
      },
      signal,
    )
    this.#keyboard = new KeyboardInput(
      this.#stage.keyboard,
      this.#latch,
      {
        mayPaste: () => this.#clipboard.maySend,
        onPaste: text => this.#clipboard.send(text),
        onLeave: () => this.#events.emit('leave', {}),
      },
      signal,
    )
    new PointerInput(this.#stage, sink, (x, y) => this.#cursor.moved(x, y), signal)
    this.#reconnector = new Reconnector({
      connectDetails,
      freshDetails,
      name,
      video: () => video && canDrawVideo(),
      onConnected: conversation => this.#begin(conversation),
      onLost: ({ code, message }, attempt) => this.#end({ kind: 'reconnecting', code, message, attempt }),
      onEnded: ({ code, message }) => this.#end({ kind: 'ended', code, message }),
    })
  }

  get state(): LiveState {
    return this.#state
  }

  get lease(): LiveLease {
    return this.#lease
  }

  /** The canvas that shows the screen. It can be read, for example to draw a thumbnail. */
  get canvas(): HTMLCanvasElement {
    return this.#stage.canvas
  }

  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof LiveEvents>(name: Name, listener: (event: LiveEvents[Name]) => void): () => void {
    return this.#events.on(name, listener)
  }

  /**
   * Takes control from the agent, or asks the person who has it. With `force` it is taken from that person, which
   * requires the scope `force`. The `lease` or `refused` event reports the outcome.
   */
  take({ force = false } = {}): void {
    this.#conversation?.say({ kind: 'take', force })
  }

  /** Returns control to the agent. Keys that are held down are released first. */
  handBack(): void {
    if (!this.#lease.isMine) return
    this.#keyboard.releaseAll()
    this.#conversation?.say({ kind: 'handBack' })
  }

  /** Replies to an `asked` event: grants control to that viewer, or keeps it. */
  answer(viewer: string, grant: boolean): void {
    this.#conversation?.say({ kind: 'answer', viewer, grant })
  }

  /**
   * Presses and releases a key while others are held down. Keys are named as in KeyboardEvent.key, such as 'Enter',
   * 'F5' or 'é'. Throws a RangeError for an unknown name. Does nothing while this viewer is not in control.
   *
   * @example
   * view.sendKey('c', ['Control'])
   */
  sendKey(key: string, held: readonly string[] = []): void {
    const keysyms = [...held, key].map(name => keysymOf({ key: name, code: '', location: 0 }))
    const known = keysyms.filter(keysym => keysym !== undefined)
    if (known.length < keysyms.length) throw new RangeError(`Unknown key: ${[...held, key].join('+')}.`)
    this.#latch.press(known)
  }

  /**
   * Presses a modifier key, such as 'Control', together with the next key that is sent or typed. A second call undoes it.
   * It is for keyboards that lack the key.
   */
  latch(key: string): void {
    const keysym = keysymOf({ key, code: '', location: 0 })
    if (keysym === undefined) throw new RangeError(`Unknown key: ${key}.`)
    this.#latch.toggle(key, keysym)
  }

  /** Shows the whole screen again after the person has zoomed. */
  resetZoom(): void {
    this.#stage.resetZoom()
  }

  /** Types a text. Does nothing while this viewer is not in control. */
  sendText(text: string): void {
    this.#send({ type: 'text', text })
  }

  /**
   * Puts a text into the machine's clipboard: the one given, or else this computer's clipboard. Returns false if the
   * browser or the token does not allow it.
   */
  async paste(text?: string): Promise<boolean> {
    const content = text ?? (await readHere())
    if (content === undefined || !this.#clipboard.maySend) return false
    this.#clipboard.send(content)
    return true
  }

  /**
   * Copies the machine's clipboard to this computer's. Returns false if it is empty or the browser does not allow it.
   */
  async copy(): Promise<boolean> {
    const { text } = this.#clipboard
    return text !== undefined && (await writeHere(text))
  }

  /** Sends keyboard input to the machine from now on. */
  focus(): void {
    this.#stage.focus()
  }

  /** Disconnects for good and removes the screen from the page. */
  close(): void {
    if (this.#closing.signal.aborted) return
    this.#reconnector.close()
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
    const meter = new StatisticsMeter(conversation, figures => this.#events.emit('statistics', figures))
    const picture = new Picture(this.#screen, {
      send: bytes => conversation.send(bytes),
      onDrawn: () => meter.frameDrawn(),
      onBroken: () => conversation.fail(lost('The service sent a picture that could not be read.')),
    })
    this.#stopParts = () => {
      meter.close()
      picture.close()
    }
    this.#setState({ kind: 'live', transport: link.transport, viewer: welcome.viewer, scope: welcome.scope })
    this.#renewBefore(welcome.expiresAt)
    const receivers: Readonly<Record<number, (frame: Frame) => void>> = {
      [channel.picture]: frame => picture.receive(frame),
      [channel.cursor]: frame => this.#cursor.receive(frame),
      [channel.statistics]: frame => meter.receive(frame),
      [channel.clipboard]: frame => this.#onClipboard(parseClipboard(frame)),
    }
    return {
      onFrame: (frame: Frame) => receivers[frame.channel]?.(frame),
      onMessage: (message: RoomMessage) => this.#onMessage(message),
    }
  }

  /** Stops everything that belongs to the current connection. */
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
    else if (message.kind === 'sandbox') this.#onSandbox(message)
    else if (message.kind === 'viewers') this.#onViewers(message)
    else if (message.kind === 'action') this.#events.emit('action', message)
    else if (message.kind === 'asked') this.#events.emit('asked', message)
    else if (message.kind === 'refused') this.#events.emit('refused', message)
    else if (message.kind === 'machine') this.#events.emit('machine', message)
    else if (message.kind === 'token') {
      this.#reconnector.renew(message.token)
      this.#renewBefore(message.expiresAt)
      if (this.#state.kind === 'live') this.#setState({ ...this.#state, scope: message.scope })
    }
  }

  #onSandbox({ name, status, isPhone, expiresAt, now }: Said<'sandbox'>): void {
    const endsAt = new Date(Date.now() + Date.parse(expiresAt) - Date.parse(now))
    this.#events.emit('sandbox', { name, status, isPhone, endsAt })
  }

  #onViewers({ count, viewers }: Said<'viewers'>): void {
    const own = this.#state.kind === 'live' ? this.#state.viewer : undefined
    const others = viewers.filter(({ viewer }) => viewer !== own).map(({ name }) => name)
    this.#events.emit('viewers', { count, others })
  }

  #onLease({ number, holder, message }: Said<'lease'>): void {
    const viewer = this.#state.kind === 'live' ? this.#state.viewer : undefined
    const isMine = holder.kind === 'person' && holder.viewer === viewer
    const wasMine = this.#lease.isMine
    this.#setLease({ number, holder, isMine, message })
    if (!isMine || wasMine) return
    this.#stage.focus()
    void this.#clipboard.sendLocal()
  }

  #onClipboard(text: string): void {
    this.#clipboard.fromMachine(text)
    this.#events.emit('clipboard', { text })
  }

  #onSize(): void {
    const { width, height } = this.#screen
    this.#stage.fit()
    this.#events.emit('size', { width, height })
  }

  #renewBefore(expiresAt: string): void {
    clearTimeout(this.#renewal)
    const renew = () => this.#conversation?.say({ kind: 'renew' })
    this.#renewal = setTimeout(renew, renewalDelayMs(expiresAt, Date.now()))
  }

  #inputSink(): InputSink {
    const hasControl = () => this.#lease.isMine
    return {
      get hasControl() {
        return hasControl()
      },
      send: input => this.#send(input),
    }
  }

  #send(input: Input): void {
    if (this.#lease.isMine) this.#conversation?.send(encodeInput({ ...input, lease: this.#lease.number }))
  }

  #setLease(lease: LiveLease): void {
    this.#lease = lease
    this.#cursor.setControl(lease.isMine)
    if (!lease.isMine) this.#latch.clear()
    this.#events.emit('lease', lease)
  }

  #setState(state: LiveState): void {
    this.#state = state
    this.#events.emit('state', state)
  }
}
