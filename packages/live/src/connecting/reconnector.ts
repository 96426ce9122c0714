import type { Connect } from '@sandglass/protocol'
import { backoffMs, pause } from './backoff.ts'
import type { Conversation, Hello, Listener } from './conversation.ts'
import { race } from './race.ts'
import { lost, Refusal } from './refusal.ts'
import { routesOf } from './routes.ts'

/** A connection that held this long was a good one: the next attempt comes soon. */
const goodMs = 5000
/** After so many in vain the addresses or the certificate may have changed. */
const attemptsOnDetails = 4

export interface KeeperOptions {
  readonly connectDetails: Connect
  /** Asked when the service does not take the token any more, or cannot be reached for a while. */
  readonly freshDetails?: (() => Promise<Connect>) | undefined
  readonly name: string
  readonly video: () => boolean
  /** Told before anything of a new connection is. */
  readonly onConnected: (conversation: Conversation) => Omit<Listener, 'onEnd'>
  readonly onLost: (why: Refusal, attempt: number) => void
  readonly onEnded: (why: Refusal) => void
}

/** Connects, and connects again whenever the connection is lost, until it is closed or refused for good. */
export class Keeper {
  readonly #options: KeeperOptions
  readonly #closing = new AbortController()
  #details: Connect

  constructor(options: KeeperOptions) {
    this.#options = options
    this.#details = options.connectDetails
    void this.#run()
  }

  /** A token for the next connections. */
  renew(token: string): void {
    this.#details = { ...this.#details, endUserToken: token }
  }

  close(): void {
    this.#closing.abort()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    let attempt = 0
    let hasRefreshed = false
    while (!signal.aborted) {
      const started = Date.now()
      const why = await this.#once()
      if (signal.aborted) return
      const wasGood = Date.now() - started > goodMs
      attempt = wasGood ? 1 : attempt + 1
      if (wasGood) hasRefreshed = false
      if (why.isFinal) {
        if (hasRefreshed || !(await this.#refresh())) return this.#options.onEnded(why)
        hasRefreshed = true
      } else if (attempt % attemptsOnDetails === 0) await this.#refresh()
      this.#options.onLost(why, attempt)
      await pause(backoffMs(attempt), signal)
    }
  }

  /** One connection from its beginning to its end. */
  async #once(): Promise<Refusal> {
    const { signal } = this.#closing
    const { roomId, endUserToken } = this.#details
    const { name, video, onConnected } = this.#options
    const hello: Hello = {
      kind: 'hello',
      version: 1,
      room: roomId,
      token: endUserToken,
      name,
      video: video(),
    }
    const over = new AbortController()
    try {
      const conversation = await race(routesOf(this.#details), hello, signal)
      const ended = Promise.withResolvers<Refusal>()
      const close = () => {
        conversation.close()
        ended.resolve(lost('The view was closed.'))
      }
      signal.addEventListener('abort', close, { once: true, signal: over.signal })
      conversation.listen({ ...onConnected(conversation), onEnd: ended.resolve })
      return await ended.promise
    } catch (error) {
      return error instanceof Refusal ? error : lost(String(error))
    } finally {
      over.abort()
    }
  }

  /** Whether there are newer details to try with. */
  async #refresh(): Promise<boolean> {
    try {
      const details = await this.#options.freshDetails?.()
      if (details) this.#details = details
      return details !== undefined
    } catch {
      return false
    }
  }
}
