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
import { Inflater } from './zrle/inflater.ts'

export interface RfbPeer extends RfbOptions {
  /** Takes bytes for the server; called in the order in which they must go. */
  readonly send: (bytes: Uint8Array) => void
  /** Called while `receive` runs, when the framebuffer is as the event says. What it throws ends the client. */
  readonly listener: (event: RfbEvent) => void
}

/**
 * The client's side of RFB 3.8 (RFC 6143, and extensions of the community's rfbproto): bytes in, events and pixels
 * out. It asks for no update by itself; `client-messages.ts` has what a client may say after `ready`.
 */
export class RfbClient {
  readonly #session: Session
  readonly #steps: Step<never>
  #betweenMessages = false
  /** Boxed, since a listener may throw anything. */
  #failure: { readonly error: unknown } | undefined

  constructor({ send, listener, ...options }: RfbPeer) {
    const features = new Set<Feature>()
    this.#session = {
      inbox: new Inbox(),
      settings: settings(options),
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

  /** Without pixels before `ready`; another object after each change of the size. */
  get framebuffer(): Framebuffer {
    return this.#session.framebuffer
  }

  /** Takes the next bytes, split anywhere, and keeps no hold on them. Once it has thrown, it throws the same again. */
  receive(chunk: Uint8Array): void {
    this.#session.inbox.refill(chunk)
    this.#untilFailure(() => this.#steps.next())
  }

  /** Tells that the stream has ended, which is an error anywhere but between two messages. */
  end(): void {
    this.#untilFailure(() => {
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
      const type = (yield* session.inbox.fields(1)).getUint8(0)
      this.#betweenMessages = false
      yield* readServerMessage(type, session)
    }
  }

  #untilFailure(work: () => void): void {
    if (this.#failure) throw this.#failure.error
    try {
      work()
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }
}
