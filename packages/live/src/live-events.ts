import type { LeaseHolder, LiveScope } from '@sandglass/protocol'
import type { LiveTransport } from './connecting/link.ts'

/** The state of the connection between the page and the machine. */
export type LiveState =
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live'
      readonly transport: LiveTransport
      readonly viewer: string
      readonly scope: readonly LiveScope[]
    }
  /**
   * The connection was lost and is being re-established; the last picture stays. `code` is the reason as a stable code,
   * `message` describes it for developers.
   */
  | {
      readonly kind: 'reconnecting'
      readonly code: string
      readonly message: string
      readonly attempt: number
    }
  /** Final: `close` was called, or the service no longer accepts the token. Only a new view can connect again. */
  | { readonly kind: 'ended'; readonly code: string; readonly message: string }

/** Who controls the sandbox. Input of anybody else is dropped. */
export interface LiveLease {
  readonly number: number
  readonly holder: LeaseHolder
  /** Whether this viewer is in control. */
  readonly isMine: boolean
}

/** The quality of the connection over the last second. */
export interface LiveStatistics {
  readonly transport: LiveTransport
  /** The round-trip time; undefined until it has been measured. */
  readonly latencyMs: number | undefined
  readonly bytesPerSecond: number
  readonly framesPerSecond: number
}

/** The events of a view, by name. */
export interface LiveEvents {
  state: LiveState
  lease: LiveLease
  /** Another viewer asks this one for control; reply with `answer`. */
  asked: { readonly viewer: string; readonly name: string }
  /** The control that this viewer asked for was refused. */
  refused: { readonly reason: string }
  /** Whether the machine is reachable; it is not while it restarts. */
  machine: { readonly isThere: boolean }
  /** The machine's clipboard has changed. */
  clipboard: { readonly text: string }
  /** Sent once per second while connected. */
  statistics: LiveStatistics
  /** The person has pressed Ctrl, Alt and Shift together, which returns the keyboard to the page. */
  leave: object
  /** The size of the screen in pixels has changed. */
  size: { readonly width: number; readonly height: number }
}

/** The registered listeners, by the name of their event. */
export type Listeners = { readonly [Name in keyof LiveEvents]: Set<(event: LiveEvents[Name]) => void> }

/** Delivers events to listeners. */
export class LiveEventEmitter {
  readonly #listeners: Listeners = {
    state: new Set(),
    lease: new Set(),
    asked: new Set(),
    refused: new Set(),
    machine: new Set(),
    clipboard: new Set(),
    statistics: new Set(),
    size: new Set(),
    leave: new Set(),
  }

  /** Adds a listener; the returned function removes it. */
  on<Name extends keyof LiveEvents>(name: Name, listener: (event: LiveEvents[Name]) => void): () => void {
    const listeners: Set<(event: LiveEvents[Name]) => void> = this.#listeners[name]
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  emit<Name extends keyof LiveEvents>(name: Name, event: LiveEvents[Name]): void {
    const listeners: Set<(event: LiveEvents[Name]) => void> = this.#listeners[name]
    for (const listener of listeners) listener(event)
  }
}
