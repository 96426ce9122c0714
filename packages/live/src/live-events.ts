import type { LeaseHolder, LiveScope } from '@sandglass/protocol'
import type { LiveTransport } from './connecting/link.ts'

/** How it stands between the page and the machine. */
export type LiveState =
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'live'
      readonly transport: LiveTransport
      readonly viewer: string
      readonly scope: readonly LiveScope[]
    }
  /** The last picture stays; another connection is being made. */
  | { readonly kind: 'reconnecting'; readonly message: string; readonly attempt: number }
  /** For good: by `close`, or since the service will not take the token any more. */
  | { readonly kind: 'ended'; readonly code: string; readonly message: string }

export interface LiveLease {
  readonly number: number
  readonly holder: LeaseHolder
  /** Whether it is this viewer who has the control. */
  readonly isMine: boolean
}

export interface LiveStatistics {
  readonly transport: LiveTransport
  /** There and back; nothing until it was measured. */
  readonly latencyMs: number | undefined
  readonly bytesPerSecond: number
  readonly framesPerSecond: number
}

/** What a view tells, by the name of the event. */
export interface LiveEvents {
  state: LiveState
  lease: LiveLease
  /** Somebody asks for the control that this viewer has: to be answered by `answer`. */
  asked: { readonly viewer: string; readonly name: string }
  /** The control that this viewer asked for was not given. */
  refused: { readonly reason: string }
  /** Whether the machine is there; it is not while it restarts. */
  machine: { readonly isThere: boolean }
  /** The text that is in the machine's clipboard now. */
  clipboard: { readonly text: string }
  /** Once a second while connected. */
  statistics: LiveStatistics
  /** The person has pressed Control, Alt and Shift at once, by which the keyboard is the page's again. */
  leave: object
  /** The size of the screen has changed. */
  size: { readonly width: number; readonly height: number }
}

export type Listeners = { readonly [Name in keyof LiveEvents]: Set<(event: LiveEvents[Name]) => void> }

/** Tells events to whoever listens. */
export class Announcer {
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

  /** Answers with what ends it. */
  on<Name extends keyof LiveEvents>(name: Name, listener: (event: LiveEvents[Name]) => void): () => void {
    const listeners: Set<(event: LiveEvents[Name]) => void> = this.#listeners[name]
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  tell<Name extends keyof LiveEvents>(name: Name, event: LiveEvents[Name]): void {
    const listeners: Set<(event: LiveEvents[Name]) => void> = this.#listeners[name]
    for (const listener of listeners) listener(event)
  }
}
