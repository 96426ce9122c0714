import type { LeaseHolder, LiveScope, RoomStatus } from '@sandglass/protocol'
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
  /** What the agent asks a person to do, from its call until control is handed back. */
  readonly message?: string | undefined
}

/** The sandbox of the view. */
export interface LiveSandbox {
  readonly name: string
  readonly status: RoomStatus
  readonly isPhone: boolean
  /** When it ends, by this computer's clock. */
  readonly endsAt: Date
}

/** Who watches. A crowd is counted, and not everybody in it is named. */
export interface LiveViewers {
  /** Includes this viewer. */
  readonly count: number
  /** The names of others; empty for those who gave none. */
  readonly others: readonly string[]
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
  /** What is known of the sandbox has changed. */
  sandbox: LiveSandbox
  /** Somebody came or left. */
  viewers: LiveViewers
  /** What the agent is doing, in words. */
  action: { readonly text: string; readonly at: string }
  /** The modifier keys that are pressed together with the next key have changed. */
  latched: { readonly keys: readonly string[] }
  /** The person has zoomed; 1 shows the whole screen. */
  zoom: { readonly factor: number }
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
    sandbox: new Set(),
    viewers: new Set(),
    action: new Set(),
    latched: new Set(),
    zoom: new Set(),
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
