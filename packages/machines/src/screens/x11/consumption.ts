import {
  clientMessage,
  eventMasks,
  getInputFocus,
  getProperty,
  internAtom,
  queryTree,
  readAtom,
  readClientMessage,
  readInputFocus,
  readParent,
  readProperty,
  selectEvents,
  sendClientMessage,
  X11Error,
} from '@sandglass/wire/x11'
import { MachineError } from '../../contract/errors.ts'
import { heardAlways } from './root-size.ts'
import type { X11Connection } from './x11-connection.ts'

/** A program that is busy for longer is taken to hang. */
const patienceMs = 5000

/** Frames and groups around a program's own window. */
const deepestWindow = 16

/**
 * Knows when the program in front has read the keys that were pressed. A program looks up what a key means when it
 * reads the event, by the keymap of that moment: a key may get another meaning only after that.
 */
export class Consumption {
  readonly #connection: X11Connection
  readonly #protocols: number
  readonly #ping: number
  readonly #rest: (signal: AbortSignal | undefined) => Promise<void>
  #serial = 0

  private constructor(
    connection: X11Connection,
    protocols: number,
    ping: number,
    rest: (signal: AbortSignal | undefined) => Promise<void>,
  ) {
    this.#connection = connection
    this.#protocols = protocols
    this.#ping = ping
    this.#rest = rest
  }

  /** `rest` settles when the screen has come to rest, for programs that do not answer pings. */
  static async open(
    connection: X11Connection,
    rest: (signal: AbortSignal | undefined) => Promise<void>,
  ): Promise<Consumption> {
    const [protocols, ping] = await Promise.all(
      ['WM_PROTOCOLS', '_NET_WM_PING'].map(name => connection.ask(internAtom(name), readAtom)),
    )
    return new Consumption(connection, protocols ?? 0, ping ?? 0, rest)
  }

  /** Settles when every event so far has been read. Events come in order, so the answer to a ping follows them all. */
  async complete(signal?: AbortSignal): Promise<void> {
    const window = await this.#pingable(await this.#connection.ask(getInputFocus(), readInputFocus))
    if (window === undefined) return this.#rest(signal)
    const { root } = this.#connection.setup
    const serial = ++this.#serial
    const answered = Promise.withResolvers<void>()
    const late = setTimeout(() => answered.reject(busy()), patienceMs)
    const stop = () => answered.reject(signal?.reason)
    signal?.addEventListener('abort', stop)
    const deafen = this.#connection.listen((code, bytes) => {
      if ((code & 0x7f) !== clientMessage) return
      const { type, words } = readClientMessage(bytes)
      if (type === this.#protocols && words[0] === this.#ping && words[1] === serial) answered.resolve()
    })
    try {
      signal?.throwIfAborted()
      this.#connection.send(selectEvents(root, heardAlways | eventMasks.substructureNotify))
      this.#connection.send(sendClientMessage(window, this.#protocols, [this.#ping, serial, window, 0, 0]))
      await answered.promise
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
      deafen()
      if (this.#connection.isOpen) this.#connection.send(selectEvents(root, heardAlways))
    }
  }

  /** The window with the focus, or one around it, whose program answers pings (EWMH, _NET_WM_PING). */
  async #pingable(focus: number): Promise<number | undefined> {
    let window = focus
    for (let depth = 0; depth < deepestWindow && window > 1; depth++) {
      try {
        const atoms = await this.#connection.ask(getProperty(window, this.#protocols), readProperty)
        if (atoms?.includes(this.#ping)) return window
        window = await this.#connection.ask(queryTree(window), readParent)
      } catch (error) {
        // The window went away meanwhile.
        if (this.#connection.isOpen && error instanceof X11Error) return undefined
        throw error
      }
    }
    return undefined
  }
}

function busy(): MachineError {
  return new MachineError(
    'MACHINE_FAILED',
    `The program with the keyboard focus did not read its input within ${patienceMs / 1000} s.`,
  )
}
