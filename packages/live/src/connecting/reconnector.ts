import type { Connect } from '@sandglass/protocol'
import { backoffMs, pause } from './backoff.ts'
import type { Conversation, Hello, Listener } from './conversation.ts'
import { race } from './race.ts'
import { lost, Refusal } from './refusal.ts'
import { routesOf } from './routes.ts'

/** A connection that lasted this long was stable, so the backoff starts over. */
const stableMs = 5000
/** After this many failed attempts the addresses or the certificate may have changed. */
const attemptsPerDetails = 4

/** How to connect, and whom to notify of changes. */
export interface ReconnectorOptions {
  readonly connectDetails: Connect
  /** Called when the service no longer accepts the token, or has been unreachable for a while. */
  readonly freshDetails?: (() => Promise<Connect>) | undefined
  readonly name: string
  readonly video: () => boolean
  /** Called before anything of a new connection is delivered; returns where to deliver it. */
  readonly onConnected: (conversation: Conversation) => Omit<Listener, 'onEnd'>
  readonly onLost: (reason: Refusal, attempt: number) => void
  readonly onEnded: (reason: Refusal) => void
}

/** Connects, and reconnects with backoff whenever the connection is lost, until it is closed or refused for good. */
export class Reconnector {
  readonly #options: ReconnectorOptions
  readonly #closing = new AbortController()
  #details: Connect

  constructor(options: ReconnectorOptions) {
    this.#options = options
    this.#details = options.connectDetails
    void this.#run()
  }

  /** Uses this token for all later connections. */
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
      const reason = await this.#connectOnce()
      if (signal.aborted) return
      const wasStable = Date.now() - started > stableMs
      attempt = wasStable ? 1 : attempt + 1
      if (wasStable) hasRefreshed = false
      if (reason.isFinal) {
        if (hasRefreshed || !(await this.#refresh())) return this.#options.onEnded(reason)
        hasRefreshed = true
      } else if (attempt % attemptsPerDetails === 0) await this.#refresh()
      this.#options.onLost(reason, attempt)
      await pause(backoffMs(attempt), signal)
    }
  }

  /** Makes one connection and waits until it ends. Returns why it ended. */
  async #connectOnce(): Promise<Refusal> {
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
    const settled = new AbortController()
    try {
      const conversation = await race(routesOf(this.#details), hello, signal)
      const ended = Promise.withResolvers<Refusal>()
      const close = () => {
        conversation.close()
        ended.resolve(lost('The view was closed.'))
      }
      signal.addEventListener('abort', close, { once: true, signal: settled.signal })
      conversation.listen({ ...onConnected(conversation), onEnd: ended.resolve })
      return await ended.promise
    } catch (error) {
      return error instanceof Refusal ? error : lost(String(error))
    } finally {
      settled.abort()
    }
  }

  /** Fetches newer connection details; returns false if there are none. */
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
