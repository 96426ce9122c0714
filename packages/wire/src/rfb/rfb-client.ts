import type { Feature, RfbEvent } from './events.ts'
import { Framebuffer } from './framebuffer.ts'
import { initialise } from './handshake/init.ts'
import { agreeOnSecurity } from './handshake/security.ts'
import { agreeOnVersion } from './handshake/version.ts'
import { Inbox } from './inbox.ts'
import { readServerMessage } from './messages/server-message.ts'
import { type RfbOptions, settings } from './options.ts'
import { RfbError } from './rfb-error.ts'
import type { Session } from './session.ts'
import type { Step } from './step.ts'
import { WorkBudget } from './work-budget.ts'
import { Inflater } from './zrle/inflater.ts'

/** How a client talks to its server and reports to its owner. */
export interface RfbPeer extends RfbOptions {
  /** Sends bytes to the server. It is called in the order in which they must arrive. */
  readonly send: (bytes: Uint8Array) => void
  /**
   * Called during `receive`, when the framebuffer is in the state that the event describes. An exception ends the
   * client.
   */
  readonly listener: (event: RfbEvent) => void
}

/**
 * The client side of RFB 3.8 (RFC 6143 and extensions of the community's rfbproto): bytes in, events and pixels out. It
 * never requests updates by itself; `client-messages.ts` has the messages that a client may send after `ready`.
 */
export class RfbClient {
  readonly #session: Session
  readonly #steps: Step<never>
  #betweenMessages = false
  /** In an object, because a listener may throw any value, even undefined. */
  #failure: { readonly error: unknown } | undefined

  constructor({ send, listener, budget = new WorkBudget(), ...options }: RfbPeer) {
    const features = new Set<Feature>()
    this.#session = {
      inbox: new Inbox(),
      settings: settings(options),
      budget,
      inflater: new Inflater(),
      framebuffer: new Framebuffer(0, 0),
      send,
      emit: listener,
      announce(feature) {
        if (features.has(feature)) return false
        features.add(feature)
        listener({ type: 'supported', feature })
        return true
      },
    }
    this.#steps = this.#run()
  }

  /** The current framebuffer. It is empty before `ready`, and a new object after each resize. */
  get framebuffer(): Framebuffer {
    return this.#session.framebuffer
  }

  /**
   * Processes the next bytes, however they are split. Returns true once it has processed all of them, and then keeps no
   * reference to them. Returns false if the turn of the work budget is over; `proceed` must then be called until it
   * returns true, before anything more is received. Once it has thrown, it throws the same error again.
   */
  receive(chunk: Uint8Array): boolean {
    const { inbox, budget } = this.#session
    return this.#advance(() => {
      if (!inbox.isEmpty) throw new Error('the bytes that were received before have not been processed')
      inbox.refill(chunk)
      budget.bytes(chunk.length)
    })
  }

  /** Processes what is left of the last bytes, for another turn. */
  proceed(): boolean {
    return this.#advance(() => {})
  }

  /** Reports the end of the stream. Throws unless it ends between two messages. */
  end(): void {
    this.#failOnce(() => {
      if (!this.#betweenMessages)
        throw new RfbError('TRUNCATED', 'the server ended the stream within a message or the handshake')
    })
  }

  *#run(): Step<never> {
    const session = this.#session
    const version = yield* agreeOnVersion(session)
    yield* agreeOnSecurity(session, version)
    yield* initialise(session)
    for (;;) {
      this.#betweenMessages = true
      if (session.budget.isTurnOver) yield
      const type = (yield* session.inbox.fields(1)).getUint8(0)
      this.#betweenMessages = false
      session.budget.message()
      yield* readServerMessage(type, session)
    }
  }

  #advance(prepare: () => void): boolean {
    const { inbox, budget } = this.#session
    this.#failOnce(() => {
      prepare()
      budget.beginTurn()
      this.#steps.next()
    })
    return inbox.isEmpty
  }

  #failOnce(work: () => void): void {
    if (this.#failure) throw this.#failure.error
    try {
      work()
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }
}
