import {
  clientMessage,
  getInputFocus,
  getProperty,
  internAtom,
  queryTree,
  readAtom,
  readClientMessage,
  readInputFocus,
  readParent,
  readProperty,
  sendClientMessage,
  X11Error,
} from '@sandglass/wire/x11'
import { MachineError } from '../../contract/errors.ts'
import type { X11Connection } from './x11-connection.ts'

/** A program that is busy for longer is considered hung. */
const timeoutMs = 5000

/** The max number of parents to search above the focused window. */
const maxDepth = 16

/**
 * Detects when the focused program has read the keys that were pressed. A program looks up the meaning of a key when
 * it reads the event, using the current keymap, so a key may be remapped only after that.
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

  /** `rest` resolves when the screen has settled; it is used for programs that do not answer pings. */
  static async open(
    connection: X11Connection,
    rest: (signal: AbortSignal | undefined) => Promise<void>,
  ): Promise<Consumption> {
    const [protocols, ping] = await Promise.all(
      ['WM_PROTOCOLS', '_NET_WM_PING'].map(name => connection.ask(internAtom(name), readAtom)),
    )
    return new Consumption(connection, protocols ?? 0, ping ?? 0, rest)
  }

  /**
   * Resolves when every event so far has been read. Events arrive in order, so the answer to a ping follows them all.
   * It is sent to the root window, whose events this connection has selected.
   */
  async complete(signal?: AbortSignal): Promise<void> {
    const window = await this.#pingable(await this.#connection.ask(getInputFocus(), readInputFocus))
    if (window === undefined) return this.#rest(signal)
    const serial = ++this.#serial
    const answered = Promise.withResolvers<void>()
    const late = setTimeout(() => answered.reject(busy()), timeoutMs)
    const stop = () => answered.reject(signal?.reason)
    signal?.addEventListener('abort', stop)
    const deafen = this.#connection.listen((code, bytes) => {
      if ((code & 0x7f) !== clientMessage) return
      const { type, words } = readClientMessage(bytes)
      if (type === this.#protocols && words[0] === this.#ping && words[1] === serial) answered.resolve()
    })
    try {
      signal?.throwIfAborted()
      this.#connection.send(sendClientMessage(window, this.#protocols, [this.#ping, serial, window, 0, 0]))
      await answered.promise
    } finally {
      clearTimeout(late)
      signal?.removeEventListener('abort', stop)
      deafen()
    }
  }

  /** Finds the focused window, or one of its parents, whose program answers pings (EWMH, _NET_WM_PING). */
  async #pingable(focus: number): Promise<number | undefined> {
    let window = focus
    for (let depth = 0; depth < maxDepth && window > 1; depth++) {
      try {
        const atoms = await this.#connection.ask(getProperty(window, this.#protocols), readProperty)
        if (atoms?.includes(this.#ping)) return window
        window = await this.#connection.ask(queryTree(window), readParent)
      } catch (error) {
        // The window was closed in the meantime.
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
    `The program with the keyboard focus did not read its input within ${timeoutMs / 1000} s.`,
  )
}
